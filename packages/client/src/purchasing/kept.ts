import type { Hex } from 'viem'
import type { Context } from '../context.js'
import { paymentIn, paymentText } from './payment.js'
import type { Made, Payment, PaymentStore, Wanted } from './types.js'

/** A payment whose outcome is not known. */
export interface Kept {
  payment: Payment
  /** Whether an earlier call signed it. */
  isEarlier: boolean
  /** Forgets it: a new one may be signed. */
  forget(): Promise<void>
}

/** Returns a valid order that needs no payment, or a new payment. */
export type Sign = () => Promise<{ order: Hex } | Payment>

/** Returns the payment of a purchase that is under way. Otherwise, lets `sign` make one, and keeps it before anything is sent. */
export async function keptPayment(
  { url, session }: Context,
  { did, service, file, chainId, payer }: Wanted,
  store: PaymentStore | undefined,
  sign: Sign,
): Promise<{ order: Hex } | Kept> {
  session.payments ??= new Map()
  const { payments } = session
  const key = JSON.stringify([url, chainId, payer, did, service, file ?? null])
  const earlier = payments.get(key)
  const made = earlier ?? madeBy(key, store, sign)
  const forgetMade = () => {
    if (payments.get(key) === made) payments.delete(key)
  }
  if (!earlier) {
    // at once: a call at the same time must not sign another one
    payments.set(key, made)
    made.catch(forgetMade)
  }
  const found = await made
  if ('order' in found) {
    forgetMade()
    return found
  }
  const { payment, isStored } = found
  return {
    payment,
    isEarlier: earlier !== undefined || isStored,
    async forget() {
      await store?.remove(key, paymentText(payment))
      forgetMade()
    },
  }
}

async function madeBy(key: string, store: PaymentStore | undefined, sign: Sign): Promise<Made> {
  const found = await store?.find(key)
  if (found !== undefined) return { payment: paymentIn(found), isStored: true }
  const signed = await sign()
  if ('order' in signed) return signed
  if (!store) return { payment: signed, isStored: false }
  const text = paymentText(signed)
  const kept = await store.add(key, text)
  return kept === text ? { payment: signed, isStored: false } : { payment: paymentIn(kept), isStored: true }
}
