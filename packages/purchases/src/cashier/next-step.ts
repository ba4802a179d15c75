import type { Logger } from '@tidegate/common'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import type { ChainView, PayingChain } from '../chain/paying-chain.js'
import { settleCall, transferCall } from '../chain/token-calls.js'
import { PURCHASE_LIMITS } from '../limits.js'
import { heldOf, type Obstacle, type Purchase } from '../purchase.js'
import type { PurchaseChange } from '../records/purchase-table.js'
import type { Call, Slot } from '../records/slot-table.js'
import type { Shop } from '../shop/shop.js'
import { arrived } from './conclusions.js'

/** What is to be done: calls to send, or how the record changes without any. */
export type NextStep = { calls: Call[] } | { change: PurchaseChange }

export interface StepTools {
  chain: PayingChain
  shop: Shop
  log: Pick<Logger, 'warn' | 'error'>
  /** Milliseconds since 1970. */
  now: number
  view: ChainView
  /** What the account owes to other payers in the token of the purchase. */
  owed: bigint
}

const { cashier: limits } = PURCHASE_LIMITS

/** Returns the next step of a purchase that waits for no transaction. `slots`: all that it had. Rejects with ChainError. */
export async function nextStep(purchase: Purchase, slots: readonly Slot[], tools: StepTools): Promise<NextStep> {
  const had = (step: Slot['step'], outcome: Slot['outcome']) =>
    slots.filter((slot) => slot.step === step && slot.outcome === outcome).length
  switch (purchase.state) {
    case 'received':
      return had('settle', 'reverted') > 0 ? watched(purchase, tools) : settling(purchase, tools)
    case 'failed':
      return watched(purchase, tools)
    case 'settled': {
      const isBought = had('buy', 'success') > 0
      if (purchase.reason === undefined) return ordering(purchase, isBought, tools)
      if (isBought && had('deliver', 'success') === 0) return handingOver(purchase, tools)
      return refunding(purchase, heldOf(purchase), slots, tools)
    }
    case 'ordered': {
      // the price fell since it was quoted
      const left = heldOf(purchase) - purchase.gasFee
      if (left <= 0n || left < purchase.gasFee) return { change: { isOpen: false } }
      return refunding(purchase, left, slots, tools)
    }
    default:
      return { change: { isOpen: false } }
  }
}

async function settling(purchase: Purchase, tools: StepTools): Promise<NextStep> {
  const { chain } = tools
  const call = settleCall(purchase.payment, chain.account)
  const gas = await chain.gasOf(call)
  return gas === undefined ? watched(purchase, tools) : { calls: [{ ...call, gas }] }
}

/** Looks at an authorization that this service cannot use: somebody else may have, or may yet, as a sent signature is public. */
async function watched(purchase: Purchase, { chain, view, now }: StepTools): Promise<NextStep> {
  const { payment } = purchase
  const use = await chain.authorization(payment, view)
  if (use === 'canceled') return { change: { state: 'failed', reason: 'PAYMENT_REFUSED', isOpen: false } }
  const isOver = view.final.time >= payment.validBefore
  if (use === 'undecided' || (use === 'untold' && !isOver)) return waiting(purchase, 'SETTLEMENT_UNDECIDED', now)
  if (use === 'unused' || use === 'untold') {
    if (isOver) return { change: { state: 'failed', reason: purchase.reason ?? 'PAYMENT_EXPIRED', isOpen: false } }
    const dueAt = Math.max(
      now + limits.retry.first,
      Math.min(payment.validBefore * 1000, now + 10 * limits.retry.first),
    )
    return { change: { state: 'failed', reason: purchase.reason ?? 'PAYMENT_REFUSED', dueAt } }
  }
  const mined = await chain.mined(use.tx)
  if (!mined) return waiting(purchase, 'SETTLEMENT_UNDECIDED', now)
  return { change: arrived(purchase, use.tx, mined, chain.account, now) }
}

async function ordering(purchase: Purchase, isBought: boolean, tools: StepTools): Promise<NextStep> {
  const { shop, log, now } = tools
  const isTooLate = now - purchase.settledAt > limits.patience
  let plan: Awaited<ReturnType<Shop['plan']>>
  try {
    plan = await shop.plan(purchase, isBought)
  } catch (error) {
    log.warn({ purchase: purchase.id, reason: (error as Error).message }, 'a paid order cannot be made now')
    return isTooLate ? { change: { reason: 'UNAVAILABLE' } } : waiting(purchase, 'ORDER_UNAVAILABLE', now)
  }
  if (typeof plan === 'string') return { change: { reason: plan } }
  if (plan.most > heldOf(purchase) - purchase.gasFee) return { change: { reason: 'PRICE_CHANGED' } }
  if (!(await lacksTokens(purchase, plan.most, tools))) return { calls: plan.calls }
  return isTooLate ? { change: { reason: 'UNAVAILABLE' } } : waiting(purchase, 'TOKENS_LACKING', now)
}

/** Gives the payer the datatoken that was bought. */
async function handingOver(purchase: Purchase, { chain, now }: StepTools): Promise<NextStep> {
  const call = transferCall('deliver', purchase.datatoken, purchase.payment.payer, ONE_DATATOKEN)
  const gas = await chain.gasOf(call)
  return gas ? { calls: [{ ...call, gas }] } : waiting(purchase, 'DELIVERY_REFUSED', now)
}

async function refunding(
  purchase: Purchase,
  amount: bigint,
  slots: readonly Slot[],
  tools: StepTools,
): Promise<NextStep> {
  const { chain, log, now } = tools
  const { token, payer } = purchase.payment
  if (amount <= 0n) return { change: { state: 'refunded', isOpen: false } }
  // those that brought nothing back: each costs gas
  const earlier = slots.filter(({ step, outcome }) => step === 'refund' && outcome !== 'foreign')
  const last = earlier.at(-1)
  const again = last ? last.createdAt + Math.min(limits.refund, limits.retry.first * 4 ** earlier.length) : 0
  if (now < again) return { change: { dueAt: again, obstacle: 'REFUND_REFUSED' } }
  if (await lacksTokens(purchase, amount, tools)) return waiting(purchase, 'TOKENS_LACKING', now)
  const call = transferCall('refund', token, payer, amount)
  const gas = await chain.gasOf(call)
  if (gas === undefined) {
    log.error({ purchase: purchase.id, payer, token }, 'a refund is refused by the token, and is tried again')
    return waiting(purchase, 'REFUND_REFUSED', now, limits.refund)
  }
  return { calls: [{ ...call, gas }] }
}

/** Whether the account would pay with tokens of others. Honest tokens never bring this about: what they say has arrived is there. */
async function lacksTokens(purchase: Purchase, amount: bigint, { chain, log, owed }: StepTools): Promise<boolean> {
  const balance = await chain.balance(purchase.payment.token)
  if (balance >= amount + owed) return false
  log.error({ purchase: purchase.id, balance, owed }, 'the purchasing account lacks the tokens of a payment')
  return true
}

/** Returns the change of a purchase whose step must wait: the longer it has waited, the longer. */
export function waiting(
  { createdAt }: Purchase,
  obstacle: Obstacle,
  now: number,
  longest: number = limits.retry.longest,
): { change: PurchaseChange } {
  const pause = Math.min(longest, Math.max(limits.retry.first, Math.round((now - createdAt) / 8)))
  return { change: { dueAt: now + pause, obstacle } }
}
