import type { ChainView, Mined, PayingChain } from '../chain/paying-chain.js'
import { amountOf } from '../chain/token-calls.js'
import { hasOrdered, transferred, transferredBy } from '../chain/token-events.js'
import { heldOf, type Purchase } from '../purchase.js'
import type { PurchaseChange } from '../records/purchase-table.js'
import type { Outcome, Slot } from '../records/slot-table.js'

/** A mined transaction of a slot. */
export interface MinedSlot {
  slot: Slot
  hash: Purchase['id']
  mined: Mined
}

/** Whether the block of a transaction is final. */
export const isFinal = ({ block }: Mined, { final }: ChainView): boolean => block <= final.block

export const outcomeOf = ({ isSuccess }: Mined): Outcome => (isSuccess ? 'success' : 'reverted')

/** Returns how a final transaction changes the record of its purchase. */
export function changeBy(
  { slot, hash, mined }: MinedSlot,
  purchase: Purchase,
  account: PayingChain['account'],
  now: number,
): PurchaseChange {
  const { token, payer } = purchase.payment
  const { logs, isSuccess } = mined
  const taken = () => purchase.spent + transferred(logs, token, { from: account })
  switch (slot.step) {
    case 'settle':
      return isSuccess ? arrived(purchase, hash, mined, account, now) : {}
    case 'buy':
      return isSuccess ? { spent: taken() } : { reason: 'ORDER_FAILED' }
    case 'order':
      if (isSuccess && hasOrdered(logs, slot.to, payer))
        return { state: 'ordered', reason: undefined, orderTx: hash, spent: taken() }
      return {
        ...{ state: 'settled', reason: 'ORDER_FAILED', orderTx: undefined },
        ...(isSuccess ? { spent: taken() } : {}),
      }
    case 'refund': {
      const isBack = isSuccess && transferred(logs, token, { from: account, to: payer }) > 0n
      // what left the account: a token may keep a part
      return isBack ? refundedBy(purchase, hash, amountOf(slot)) : {}
    }
    default:
      return {}
  }
}

/** Returns the change by a final transaction that used the authorization of a payment, from any sender. */
export function arrived(
  { payment, reason }: Purchase,
  settleTx: Purchase['id'],
  { logs }: Mined,
  account: PayingChain['account'],
  settledAt: number,
): PurchaseChange {
  const paid = transferredBy(payment, logs, account)
  if (paid === 0n) return { state: 'failed', reason: 'PAYMENT_SHORT', isOpen: false }
  return {
    state: 'settled',
    paid,
    settleTx,
    settledAt,
    reason: reason ?? (paid < payment.value ? 'PAYMENT_SHORT' : undefined),
  }
}

function refundedBy(purchase: Purchase, refundTx: Purchase['id'], back: bigint): PurchaseChange {
  const refunded = purchase.refunded + back
  const isAll = purchase.state === 'ordered' || heldOf({ ...purchase, refunded }) === 0n
  const state = purchase.state === 'ordered' ? 'ordered' : 'refunded'
  return { refunded, refundTx, ...(isAll ? { state, isOpen: false } : {}) }
}

/** Returns the change by an order that is mined, and which the chain may still replace. */
export function provisionalChange({ slot, hash, mined }: MinedSlot, purchase: Purchase): PurchaseChange | undefined {
  if (slot.step !== 'order' || purchase.state !== 'settled' || !mined.isSuccess) return undefined
  if (!hasOrdered(mined.logs, slot.to, purchase.payment.payer)) return undefined
  return { state: 'ordered', orderTx: hash }
}

/** Returns the change by a nonce that somebody else has used: the step is due again. */
export function changeByForeign({ step }: Slot, { state }: Purchase): PurchaseChange {
  return step === 'order' && state === 'ordered' ? { state: 'settled', orderTx: undefined } : {}
}
