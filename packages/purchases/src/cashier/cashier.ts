import type { Logger } from '@tidegate/common'
import { ChainError } from '@tidegate/protocol'
import { isAddressEqual } from 'viem'
import type { NonceUser } from '../chain/nonce-use.js'
import type { ChainView, PayingChain } from '../chain/paying-chain.js'
import { PURCHASE_LIMITS } from '../limits.js'
import { owedOf, type Purchase } from '../purchase.js'
import type { PurchaseStore } from '../records/purchase-table.js'
import type { Slot, SlotStore } from '../records/slot-table.js'
import type { Shop } from '../shop/shop.js'
import { changeBy, changeByForeign, isFinal, type MinedSlot, outcomeOf, provisionalChange } from './conclusions.js'
import { nextStep, type StepTools, waiting } from './next-step.js'
import { Sender } from './sender.js'

export interface CashierOptions {
  chain: PayingChain
  purchases: PurchaseStore
  slots: SlotStore
  shop: Shop
  /** The most that a transaction may pay for a unit of gas, in wei. */
  ceiling: bigint
  log: Logger
}

/**
 * Takes every purchase of a chain to its end: settles payments, orders, and refunds what cannot be ordered. All that it does is written
 * down before; it may stop at any moment, and two may run at once: each nonce of the account belongs to one step of one purchase, and
 * only final blocks decide.
 */
export class Cashier {
  private readonly sender: Sender
  /** The newest block that was looked at to its end. Until there is another one, the transactions are where they were. */
  private seen = -1

  constructor(private readonly options: CashierOptions) {
    this.sender = new Sender(options)
  }

  /** Does all that is due. Returns whether purchases are open. Rejects with StateError, ChainError. */
  async advance(now = Date.now()): Promise<boolean> {
    const { chain, purchases, slots } = this.options
    const before = await purchases.open(chain.chainId)
    const { slots: waiting } = await slots.waiting()
    if (before.length + waiting.length === 0) return false
    const view = await chain.view()
    if (view.head.block !== this.seen && (await this.concludeAll(view, now))) this.seen = view.head.block
    const open = await purchases.open(chain.chainId)
    const busy = new Set((await slots.waiting()).slots.map(({ purchase }) => purchase))
    const idle = open.filter(({ id }) => !busy.has(id))
    for (const purchase of idle.filter(({ dueAt }) => dueAt <= now))
      await this.step(purchase, { view, now, owed: owedToOthers(purchase, idle) }).catch((error: unknown) =>
        this.postpone(purchase, error, now),
      )
    const { slots: left, transactions } = await slots.waiting()
    await this.sender.sendAll(left, transactions, view, now)
    return open.length + left.length > 0
  }

  /**
   * Writes down what the chain has decided of the transactions. Returns whether that was all: a node may be behind its own blocks, and a
   * chain that mines on demand may have no next block for long.
   */
  private async concludeAll(view: ChainView, now: number): Promise<boolean> {
    const { slots, purchases, chain, log } = this.options
    const { slots: waiting, transactions } = await slots.waiting()
    let isAll = true
    for (const slot of waiting.filter(({ nonce }) => nonce < view.head.nonce)) {
      const own = transactions.filter(({ nonce }) => nonce === slot.nonce).map(({ hash }) => hash)
      const purchase = slot.purchase === '' ? undefined : await purchases.find(slot.purchase)
      let found = await this.minedOf(slot, own)
      const user = found ? undefined : await chain.userOf(slot.nonce, view)
      // another copy of these records has done the step: once is enough
      if (user && isCallOf(slot, user)) found = await this.minedOf(slot, [user.hash])
      if (found && isFinal(found.mined, view)) {
        const change = purchase ? changeBy(found, purchase, chain.account, now) : {}
        const isWritten = await slots.conclude(slot, outcomeOf(found.mined), purchase, { dueAt: now, ...change }, now)
        isAll &&= isWritten
        continue
      }
      if (found) {
        const change = purchase && provisionalChange(found, purchase)
        if (change) await purchases.change(purchase, change, now)
        continue
      }
      if (user === undefined) continue
      if (isCallOf(slot, user)) {
        isAll = false
        continue
      }
      log.error({ nonce: slot.nonce, transaction: user.hash }, 'somebody else uses the key of the purchasing account')
      const change = purchase ? changeByForeign(slot, purchase) : {}
      const isWritten = await slots.conclude(slot, 'foreign', purchase, { dueAt: now, ...change }, now)
      isAll &&= isWritten
    }
    return isAll
  }

  /** Goes on after a failure of the chain: a hostile token must not hold up the purchases of others. */
  private async postpone(purchase: Purchase, error: unknown, now: number): Promise<void> {
    if (!(error instanceof ChainError)) throw error
    this.options.log.warn({ purchase: purchase.id, reason: error.message }, 'a purchase waits for the chain')
    await this.options.purchases.change(purchase, waiting(purchase, 'CHAIN_UNAVAILABLE', now).change, now)
  }

  private async minedOf(slot: Slot, hashes: Purchase['id'][]): Promise<MinedSlot | undefined> {
    for (const hash of hashes) {
      const mined = await this.options.chain.mined(hash)
      if (mined) return { slot, hash, mined }
    }
    return undefined
  }

  /** Reserves nonces for the next step of a purchase, or changes its record. */
  private async step(purchase: Purchase, moment: Pick<StepTools, 'view' | 'now' | 'owed'>): Promise<void> {
    const { slots, purchases, chain, log } = this.options
    const { view, now } = moment
    const had = await slots.ofPurchase(purchase.id)
    const other = had.find(({ account }) => account !== chain.account)
    if (other) {
      // this account holds none of its tokens, but those of other purchases
      log.error(
        { purchase: purchase.id, account: other.account },
        'a purchase was paid to an account whose key is not set',
      )
      const dueAt = now + PURCHASE_LIMITS.cashier.retry.longest
      await purchases.change(purchase, { dueAt, obstacle: 'OTHER_ACCOUNT' }, now)
      return
    }
    const next = await nextStep(purchase, had, { ...this.options, ...moment })
    if ('change' in next) await purchases.change(purchase, next.change, now)
    else await slots.reserve(purchase, next.calls, view.head.nonce, { dueAt: now }, now)
  }
}

const isCallOf = (slot: Slot, { to, data }: NonceUser): boolean =>
  to !== null && isAddressEqual(to, slot.to) && data === slot.data

/**
 * Returns what the account owes to others in the token of a purchase. Purchases that wait for a transaction are left out: their tokens may
 * have gone already.
 */
const owedToOthers = ({ id, payment }: Purchase, idle: readonly Purchase[]): bigint =>
  idle
    .filter((one) => one.id !== id && one.obstacle !== 'OTHER_ACCOUNT' && one.payment.token === payment.token)
    .reduce((sum, one) => sum + owedOf(one), 0n)
