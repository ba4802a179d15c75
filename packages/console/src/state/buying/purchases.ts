import { type Asset, buy, type PurchasePrice, purchase as payOnce, type Quote } from '@tidegate/client'
import type { Hex } from 'viem'
import { contextNow } from '../context.js'
import type { Purpose } from '../journal.js'
import { createStore } from '../store.js'
import { keepReceipt } from './kept-receipts.js'
import { PAYMENTS } from './payments.js'

/** A purchase of this visit. It continues on other pages. */
export type Purchase =
  | { phase: 'running'; step: string }
  | { phase: 'done'; order: Hex }
  | { phase: 'failed'; error: unknown }

export const purchases = createStore<Record<string, Purchase>>({})

export const purchaseKey = (account: string, did: string, service: string) => `${account}/${did}/${service}`

/** Buys a quote step by step. `accepted`: SHA-256 of the accepted terms. `purchases` has its result. */
export function purchase({ did, name }: Asset, quote: Quote, accepted?: string): Promise<Purchase> {
  let step = ''
  const purpose = (): Purpose => ({ kind: 'buy', did, service: quote.service, title: name.slice(0, 200), step })
  return running(quote, (onStep) => {
    const note = (next: string) => {
      step = next
      onStep(next)
    }
    return buy(contextNow(purpose), quote, { onStep: note, acceptTerms: accepted })
  })
}

/** Buys by one signed payment: the provider orders. Keeps the receipt that it signs. `purchases` has its result. */
export function purchaseBySignature(quote: Quote, price: PurchasePrice, accepted?: string): Promise<Purchase> {
  const options = { acceptTerms: accepted, payments: PAYMENTS }
  return running(quote, async (onStep) => {
    const { order, receipt } = await payOnce(contextNow(), price, { ...options, onStep })
    if (receipt) keepReceipt(receipt)
    return { order }
  })
}

type Work = (onStep: (step: string) => void) => Promise<{ order: Hex }>

/** Runs a purchase of a service, unless one is running. */
async function running({ consumer, did, service }: Quote, work: Work): Promise<Purchase> {
  const key = purchaseKey(consumer, did, service)
  const set = (state: Purchase) => {
    purchases.set((now) => ({ ...now, [key]: state }))
    return state
  }
  const earlier = purchases.get()[key]
  if (earlier?.phase === 'running') return earlier
  set({ phase: 'running', step: '' })
  try {
    const { order } = await work((step) => set({ phase: 'running', step }))
    return set({ phase: 'done', order })
  } catch (error) {
    return set({ phase: 'failed', error })
  }
}
