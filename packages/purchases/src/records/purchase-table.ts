import { type Driver, run, type Script, sql, sqlOne } from '@tidegate/database'
import { SECONDS } from '@tidegate/protocol/constants'
import type { Hex } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import { type NewPurchase, type Purchase, purchaseId, type Reason } from '../purchase.js'
import { columnsOf, purchaseOf, type Row } from './purchase-rows.js'

/** The part of a record that changes. */
export type PurchaseChange = Partial<
  Pick<
    Purchase,
    | 'state'
    | 'reason'
    | 'paid'
    | 'spent'
    | 'refunded'
    | 'settleTx'
    | 'orderTx'
    | 'refundTx'
    | 'settledAt'
    | 'isOpen'
    | 'dueAt'
    | 'obstacle'
  >
>

/**
 * Why a purchase is not taken: too many are under way, of the payer or of all (`busy`); too many of the payer (`failed`), of contracts, or of the
 * asset failed in a day; or the amount of a day is reached.
 */
export type NotTaken = 'payer' | 'failed' | 'contracts' | 'asset' | 'busy' | 'daily'

/** A record, and whether it was written now. */
export interface Added {
  purchase: Purchase
  isNew: boolean
}

/** Purchases of a chain whose payer waits for order or refund. */
export interface WaitingPurchases {
  chainId: number
  count: number
  /** Milliseconds since 1970. */
  oldest: number
}

/** The records of purchases. Times are in milliseconds since 1970. */
export interface PurchaseStore {
  /** Writes a purchase down, unless it is: then returns the record. `daily`: the most of its token in a day. */
  add(purchase: NewPurchase, daily: bigint, now: number): Promise<Added | NotTaken>
  find(id: Hex): Promise<Purchase | undefined>
  /** Returns the open purchases of a chain, oldest first. */
  open(chainId: number): Promise<Purchase[]>
  /** Yields the purchases from a time on and before another, oldest first. */
  between(since: number, until: number): AsyncIterable<Purchase>
  /** Counts the purchases of each chain whose payer waits, with the time of the oldest. */
  waiting(): Promise<WaitingPurchases[]>
  /** Changes a record, unless somebody else has. Returns whether it did. */
  change(purchase: Purchase, change: PurchaseChange, now: number): Promise<boolean>
}

const COLUMNS = `id, chain_id, token, payer, nonce, value, valid_after, valid_before, signature, gas_fee, did, service, file, terms,
  datatoken, identifier, state, reason, paid, spent, refunded, settle_tx, order_tx, refund_tx, settled_at, is_open, due_at, obstacle, is_contract, created_at, changed_at, version`
const FIND = sqlOne(`SELECT ${COLUMNS} FROM purchases WHERE id = :id`)
const ADD = sql(
  `INSERT INTO purchases (${COLUMNS}) VALUES (:id, :chain, :token, :payer, :nonce, :value, :after, :before, :signature,
   :gasFee, :did, :service, :file, :terms, :datatoken, :identifier, :state, :reason, :paid, :spent, :refunded, :settleTx, :orderTx, :refundTx,
   :settledAt, :isOpen, :dueAt, :obstacle, :isContract, :createdAt, :changedAt, :version)`,
)
// the signature is of no use once nothing is left to do
const CHANGE = sql(
  `UPDATE purchases SET state = :state, reason = :reason, paid = :paid, spent = :spent, refunded = :refunded,
   settle_tx = :settleTx, order_tx = :orderTx, refund_tx = :refundTx, settled_at = :settledAt, is_open = :isOpen, due_at = :dueAt, changed_at = :now,
   obstacle = :obstacle, signature = CASE WHEN :isOpen = 1 THEN signature ELSE '' END, version = version + 1
   WHERE id = :id AND version = :version`,
)
const OPEN = sql(`SELECT ${COLUMNS} FROM purchases WHERE chain_id = :chain AND is_open = 1 ORDER BY created_at, id`)
const BETWEEN = sql(
  `SELECT ${COLUMNS} FROM purchases WHERE created_at >= :since AND created_at < :until ORDER BY created_at, id`,
)
const WAITING = sql(
  `SELECT chain_id, count(*) AS n, min(created_at) AS oldest FROM purchases
   WHERE is_open = 1 AND state IN ('received', 'settled') GROUP BY chain_id ORDER BY chain_id`,
)
const UNDER_WAY = sql(`SELECT payer, state, reason FROM purchases WHERE chain_id = :chain AND is_open = 1`)
const OF_TODAY = sql(
  `SELECT token, value, payer, datatoken, state, reason, is_open, is_contract FROM purchases WHERE chain_id = :chain AND created_at > :since`,
)
const LOCK = sql(
  `INSERT INTO purchase_accounts (chain_id, changes) VALUES (:chain, 1)
   ON CONFLICT (chain_id) DO UPDATE SET changes = purchase_accounts.changes + 1`,
)

/** Failures that a seller can bring about for nothing, while each costs the account gas. */
const BY_SELLER: readonly Reason[] = ['PRICE_CHANGED', 'NOT_FOR_SALE', 'ORDER_FAILED']

const DAY = SECONDS.day * 1000

/** Lets the writers of a chain take turns. */
export const lockChain = (chain: number) => LOCK({ chain })

/** Changes a record in a transaction, unless somebody else has: a change that names no obstacle ends it. Returns whether it did. */
export function* changed(purchase: Purchase, change: PurchaseChange, now: number): Script<boolean> {
  const columns = columnsOf({ ...purchase, obstacle: undefined, ...change })
  return (yield* run(CHANGE({ ...columns, now }))).changes === 1
}

/** Creates the store of purchases. */
export function purchaseStore(db: Driver): PurchaseStore {
  return {
    add: (purchase, daily, now) => db.transact(added(purchase, daily, now)),
    find: async (id) => (await db.query(FIND({ id }))).rows.map(purchaseOf)[0],
    open: async (chain) => (await db.query(OPEN({ chain }))).rows.map(purchaseOf),
    async *between(since, until) {
      for await (const row of db.stream(BETWEEN({ since, until }))) yield purchaseOf(row)
    },
    async waiting() {
      const { rows } = await db.query(WAITING())
      return rows.map(({ chain_id, n, oldest }) => ({
        ...{ chainId: chain_id as number, count: n as number, oldest: oldest as number },
      }))
    },
    change: (purchase, change, now) => db.transact(changed(purchase, change, now)),
  }
}

function* added(fresh: NewPurchase, daily: bigint, now: number): Script<Added | NotTaken> {
  const { payment } = fresh
  const chain = payment.chainId
  const id = purchaseId(payment)
  yield* run(lockChain(chain))
  const [known] = (yield* run(FIND({ id }))).rows
  if (known) return { purchase: purchaseOf(known), isNew: false }
  const { rows: underWay } = yield* run(UNDER_WAY({ chain }))
  const { most, perPayer, perDay, failed, contracts } = PURCHASE_LIMITS.underWay
  // what is refunded waits for its token alone
  const awaited = underWay.filter(
    ({ state, reason }) => state === 'received' || (state === 'settled' && reason === null),
  )
  if (awaited.length >= most) return 'busy'
  if (underWay.filter(({ payer }) => payer === payment.payer).length >= perPayer) return 'payer'
  const { rows: today } = yield* run(OF_TODAY({ chain, since: now - DAY }))
  const isFailed = ({ reason }: Row) => reason !== null && reason !== 'UNAVAILABLE'
  const failures = today.filter(isFailed)
  if (failures.filter(({ payer }) => payer === payment.payer).length >= failed) return 'failed'
  const ofContracts = failures.filter(({ state, is_contract }) => state === 'failed' && is_contract === 1)
  if (fresh.isContract && ofContracts.length >= contracts) return 'contracts'
  const ofAsset = failures.filter(
    ({ datatoken, reason }) => datatoken === fresh.datatoken && BY_SELLER.includes(reason as Reason),
  )
  if (ofAsset.length >= failed) return 'asset'
  // what failed has brought nothing in
  const same = today.filter(
    ({ token, state, is_open }) => token === payment.token && (state !== 'failed' || is_open === 1),
  )
  const total = same.reduce((sum, { value }) => sum + BigInt(value as string), payment.value)
  if (today.length >= perDay || total > daily) return 'daily'
  const purchase: Purchase = {
    ...{ id, ...fresh, state: 'received', reason: undefined, paid: 0n, spent: 0n, refunded: 0n },
    ...{ settleTx: undefined, orderTx: undefined, refundTx: undefined, settledAt: 0, isOpen: true, dueAt: now },
    ...{ obstacle: undefined, createdAt: now, changedAt: now, version: 0 },
  }
  yield* run(ADD(columnsOf(purchase)))
  return { purchase, isNew: true }
}
