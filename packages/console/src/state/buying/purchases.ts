import { type Asset, buy, type Quote } from '@tidegate/client'
import type { Hex } from 'viem'
import { contextNow } from '../context.js'
import type { Purpose } from '../journal.js'
import { createStore } from '../store.js'

/** A purchase of this visit. It continues on other pages. */
export type Purchase =
  | { phase: 'running'; step: string }
  | { phase: 'done'; order: Hex }
  | { phase: 'failed'; error: unknown }

export const purchases = createStore<Record<string, Purchase>>({})

export const purchaseKey = (account: string, did: string, service: string) => `${account}/${did}/${service}`

/** Buys a quote step by step. `accepted`: SHA-256 of the accepted terms. `purchases` has its result. */
export async function purchase({ did, name }: Asset, quote: Quote, accepted?: string): Promise<Purchase> {
  const key = purchaseKey(quote.consumer, did, quote.service)
  const set = (state: Purchase) => {
    purchases.set((now) => ({ ...now, [key]: state }))
    return state
  }
  const running = purchases.get()[key]
  if (running?.phase === 'running') return running
  let step = ''
  set({ phase: 'running', step })
  const purpose = (): Purpose => ({ kind: 'buy', did, service: quote.service, title: name.slice(0, 200), step })
  const onStep = (next: string) => {
    step = next
    set({ phase: 'running', step })
  }
  try {
    const { order } = await buy(contextNow(purpose), quote, { onStep, acceptTerms: accepted })
    return set({ phase: 'done', order })
  } catch (error) {
    return set({ phase: 'failed', error })
  }
}
