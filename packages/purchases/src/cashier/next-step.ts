import type { Logger } from '@tidegate/common'
import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import type { ChainView, PayingChain } from '../chain/paying-chain.js'
import { settleCall, transferCall } from '../chain/token-calls.js'
import { PURCHASE_LIMITS } from '../limits.js'
import { heldOf, type Purchase } from '../purchase.js'
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
}

const { retry, patience } = PURCHASE_LIMITS.cashier

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
      return refunding(purchase, heldOf(purchase), had('refund', 'reverted') + had('refund', 'success'), tools)
    }
    case 'ordered': {
      // the price fell since it was quoted
      const left = heldOf(purchase) - purchase.gasFee
      if (left <= 0n || left < purchase.gasFee) return { change: { isOpen: false } }
      return refunding(purchase, left, had('refund', 'reverted') + had('refund', 'success'), tools)
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
  if (use === 'undecided') return { change: { dueAt: now + retry.first } }
  if (use === 'unused') {
    if (view.final.time >= payment.validBefore)
      return { change: { state: 'failed', reason: purchase.reason ?? 'PAYMENT_EXPIRED', isOpen: false } }
    const dueAt = Math.max(now + retry.first, Math.min(payment.validBefore * 1000, now + 10 * retry.first))
    return { change: { state: 'failed', reason: purchase.reason ?? 'PAYMENT_REFUSED', dueAt } }
  }
  const mined = await chain.mined(use.tx)
  if (!mined) return { change: { dueAt: now + retry.first } }
  return { change: arrived(purchase, use.tx, mined, chain.account, now) }
}

async function ordering(purchase: Purchase, isBought: boolean, tools: StepTools): Promise<NextStep> {
  const { shop, chain, log, now } = tools
  const isTooLate = now - purchase.settledAt > patience
  let plan: Awaited<ReturnType<Shop['plan']>>
  try {
    plan = await shop.plan(purchase, isBought)
  } catch (error) {
    log.warn({ purchase: purchase.id, reason: (error as Error).message }, 'a paid order cannot be made now')
    return { change: isTooLate ? { reason: 'UNAVAILABLE' } : { dueAt: later(purchase, now) } }
  }
  if (typeof plan === 'string') return { change: { reason: plan } }
  if (plan.most > heldOf(purchase) - purchase.gasFee) return { change: { reason: 'PRICE_CHANGED' } }
  const balance = await chain.balance(purchase.payment.token)
  if (balance >= plan.most) return { calls: plan.calls }
  log.error({ purchase: purchase.id, balance }, 'the purchasing account lacks the tokens of a payment')
  return { change: isTooLate ? { reason: 'UNAVAILABLE' } : { dueAt: later(purchase, now) } }
}

/** Gives the payer the datatoken that was bought. */
async function handingOver(purchase: Purchase, { chain, now }: StepTools): Promise<NextStep> {
  const call = transferCall('deliver', purchase.datatoken, purchase.payment.payer, ONE_DATATOKEN)
  const gas = await chain.gasOf(call)
  return gas ? { calls: [{ ...call, gas }] } : { change: { dueAt: later(purchase, now) } }
}

async function refunding(purchase: Purchase, amount: bigint, earlier: number, tools: StepTools): Promise<NextStep> {
  const { chain, log, now } = tools
  const { token, payer } = purchase.payment
  if (amount <= 0n) return { change: { state: 'refunded', isOpen: false } }
  const call = transferCall('refund', token, payer, amount)
  // a transfer that does nothing costs gas each time
  const isWaiting = earlier > 0 && now - purchase.changedAt < backoff(earlier)
  const gas = isWaiting ? undefined : await chain.gasOf(call)
  if (gas !== undefined) return { calls: [{ ...call, gas }] }
  if (!isWaiting)
    log.error({ purchase: purchase.id, payer, token }, 'a refund is refused by the token, and is tried again')
  return { change: { dueAt: later(purchase, now) } }
}

const backoff = (attempts: number) => Math.min(retry.longest, retry.first * 4 ** attempts)

/** Returns when a step that must wait is due: the longer it has waited, the later. */
export function later({ createdAt }: Purchase, now: number): number {
  return now + Math.min(retry.longest, Math.max(retry.first, Math.round((now - createdAt) / 8)))
}
