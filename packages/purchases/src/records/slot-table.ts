import { type Driver, run, type Script, sql, sqlOne } from '@tidegate/database'
import type { Address, Hex } from 'viem'
import type { Purchase } from '../purchase.js'
import { changed, lockChain, type PurchaseChange } from './purchase-table.js'

/** What a transaction of the purchasing account is for. `fill`: it only uses up a nonce that nothing else used. */
export type Step = 'settle' | 'approve' | 'buy' | 'order' | 'deliver' | 'refund' | 'fill'

/** A call that the purchasing account sends. */
export interface Call {
  step: Step
  to: Address
  data: Hex
  gas: number
}

/** What the chain has decided of a slot. `foreign`: its nonce went to a transaction of somebody else who has the key. */
export type Outcome = 'success' | 'reverted' | 'foreign'

/** An account nonce that is reserved for one step of one purchase, whose transactions all have it: at most one is mined. */
export interface Slot extends Call {
  account: Address
  nonce: number
  /** Empty for `fill`. */
  purchase: Hex | ''
  outcome: Outcome | undefined
  createdAt: number
}

/** A signed transaction of a slot. */
export interface SignedTransaction {
  hash: Hex
  nonce: number
  raw: Hex
  /** The most that it pays for a unit of gas, in wei. */
  price: bigint
  createdAt: number
}

/** Whose slots: those of one account on one chain. */
export interface PurchasingAccount {
  chainId: number
  account: Address
}

/** The slots of an account and their transactions. Times are in milliseconds since 1970. */
export interface SlotStore {
  /** Returns the slots without outcome, by nonce, and all transactions of these. */
  waiting(): Promise<{ slots: Slot[]; transactions: SignedTransaction[] }>
  /** Returns all slots of a purchase, by nonce, also those of an earlier account. */
  ofPurchase(id: Hex): Promise<Slot[]>
  /** Reserves consecutive nonces for the calls, from `floor` on, and changes the record. False if the record has changed. */
  reserve(
    purchase: Purchase,
    calls: readonly Call[],
    floor: number,
    change: PurchaseChange,
    now: number,
  ): Promise<boolean>
  /** Reserves one nonce that has no slot for nothing. */
  fill(nonce: number, call: Call, now: number): Promise<void>
  /** Writes a transaction before it is sent. */
  addTransaction(transaction: SignedTransaction): Promise<void>
  /** Writes the outcome of a slot, and changes the record of its purchase. False if somebody else did. */
  conclude(
    slot: Slot,
    outcome: Outcome,
    purchase: Purchase | undefined,
    change: PurchaseChange,
    now: number,
  ): Promise<boolean>
}

const SLOT = 'own_account, nonce, purchase, step, receiver, data, gas, outcome, created_at'
const WAITING = sql(
  `SELECT ${SLOT} FROM purchase_slots WHERE chain_id = :chainId AND own_account = :account AND outcome IS NULL ORDER BY nonce`,
)
const OF_PURCHASE = sql(`SELECT ${SLOT} FROM purchase_slots WHERE purchase = :id ORDER BY nonce`)
const LAST = sqlOne(
  'SELECT max(nonce) AS nonce FROM purchase_slots WHERE chain_id = :chainId AND own_account = :account',
)
const RESERVE = sql(
  `INSERT INTO purchase_slots (chain_id, own_account, nonce, purchase, step, receiver, data, gas, outcome, created_at)
   VALUES (:chainId, :account, :nonce, :purchase, :step, :to, :data, :gas, NULL, :now)`,
)
const FILL = sql(
  `INSERT INTO purchase_slots (chain_id, own_account, nonce, purchase, step, receiver, data, gas, outcome, created_at)
   VALUES (:chainId, :account, :nonce, '', :step, :to, :data, :gas, NULL, :now) ON CONFLICT DO NOTHING`,
)
const IS_WAITING = sqlOne(
  `SELECT nonce FROM purchase_slots
   WHERE chain_id = :chainId AND own_account = :account AND nonce = :nonce AND outcome IS NULL`,
)
const CONCLUDE = sql(
  'UPDATE purchase_slots SET outcome = :outcome WHERE chain_id = :chainId AND own_account = :account AND nonce = :nonce',
)
const TRANSACTIONS = sql(
  `SELECT hash, nonce, raw, price, created_at FROM purchase_transactions
   WHERE chain_id = :chainId AND own_account = :account AND nonce >= :first ORDER BY nonce, created_at, hash`,
)
const ADD_TRANSACTION = sql(
  `INSERT INTO purchase_transactions (hash, chain_id, own_account, nonce, raw, price, created_at)
   VALUES (:hash, :chainId, :account, :nonce, :raw, :price, :createdAt) ON CONFLICT DO NOTHING`,
)

/** Creates the store of an account's slots. */
export function slotStore(db: Driver, of: PurchasingAccount): SlotStore {
  return {
    async waiting() {
      const slots = (await db.query(WAITING(of))).rows.map(slotOf)
      const first = slots[0]?.nonce
      if (first === undefined) return { slots, transactions: [] }
      const { rows } = await db.query(TRANSACTIONS({ ...of, first }))
      const transactions = rows.map((row) => ({
        ...{ hash: row.hash as Hex, nonce: row.nonce as number, raw: row.raw as Hex },
        ...{ price: BigInt(row.price as string), createdAt: row.created_at as number },
      }))
      return { slots, transactions }
    },
    ofPurchase: async (id) => (await db.query(OF_PURCHASE({ id }))).rows.map(slotOf),
    reserve: (...args) => db.transact(reserved(of, ...args)),
    fill: async (nonce, call, now) => void (await db.query(FILL({ ...of, ...call, nonce, now }))),
    addTransaction: async ({ price, ...rest }) =>
      void (await db.query(ADD_TRANSACTION({ ...of, ...rest, price: `${price}` }))),
    conclude: (...args) => db.transact(concluded(of, ...args)),
  }
}

function* reserved(
  of: PurchasingAccount,
  purchase: Purchase,
  calls: readonly Call[],
  floor: number,
  change: PurchaseChange,
  now: number,
): Script<boolean> {
  yield* run(lockChain(of.chainId))
  if (!(yield* changed(purchase, change, now))) return false
  const last = (yield* run(LAST(of))).rows[0]?.nonce as number | null | undefined
  const first = Math.max(floor, (last ?? -1) + 1)
  for (const [at, call] of calls.entries())
    yield* run(RESERVE({ ...of, ...call, nonce: first + at, purchase: purchase.id, now }))
  return true
}

function* concluded(
  of: PurchasingAccount,
  { nonce }: Slot,
  outcome: Outcome,
  purchase: Purchase | undefined,
  change: PurchaseChange,
  now: number,
): Script<boolean> {
  yield* run(lockChain(of.chainId))
  const { rows } = yield* run(IS_WAITING({ ...of, nonce }))
  if (rows.length === 0) return false
  if (purchase && !(yield* changed(purchase, change, now))) return false
  yield* run(CONCLUDE({ ...of, nonce, outcome }))
  return true
}

function slotOf(row: Record<string, unknown>): Slot {
  return {
    account: row.own_account as Address,
    ...{ nonce: row.nonce as number, purchase: row.purchase as Hex | '', step: row.step as Step },
    ...{ to: row.receiver as Address, data: row.data as Hex, gas: row.gas as number },
    ...{ outcome: (row.outcome ?? undefined) as Outcome | undefined, createdAt: row.created_at as number },
  }
}
