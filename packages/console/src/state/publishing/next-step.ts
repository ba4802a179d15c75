import type { Asset, Quote } from '@tidegate/client'
import type { Entry } from '../journal.js'
import { isOffered } from '../shown-state.js'

/** The action of an asset's button. */
export type NextStep =
  | { step: 'connect' }
  | { step: 'switch'; chainId: number }
  | { step: 'check' }
  | { step: 'wait'; entry: Entry }
  | { step: 'unsure'; entry: Entry }
  | { step: 'buying' }
  | { step: 'present'; quote: Quote }
  | { step: 'buy'; quote: Quote }
  | { step: 'download'; order: `0x${string}` }
  | { step: 'unavailable'; why: 'state' | 'price' }
  | { step: 'denied' }
  | { step: 'failed'; error: unknown }

export interface Situation {
  asset: Pick<Asset, 'chainId' | 'state' | 'blocked'>
  wallet: { chainId: number } | undefined
  /** Whether the chain can be read, whatever the wallet's chain is. */
  readable: boolean
  quote: { value?: Quote | undefined; error?: unknown; loading: boolean }
  /** An open transaction that buys the asset. */
  open: Entry | undefined
  buying: boolean
  /** The order of a purchase of this visit. */
  bought?: `0x${string}` | undefined
}

/** Returns the one next step. */
export function nextStep({ asset, wallet, readable, quote, open, buying, bought }: Situation): NextStep {
  if (!isOffered(asset)) return { step: 'unavailable', why: 'state' }
  if (!wallet) return { step: 'connect' }
  if (buying) return { step: 'buying' }
  if (quote.value?.order && !quote.loading)
    return quote.value.presents
      ? { step: 'present', quote: quote.value }
      : { step: 'download', order: quote.value.order }
  if (bought) return { step: 'download', order: bought }
  if (open && open.state !== 'unsure') return { step: 'wait', entry: open }
  const away = wallet.chainId !== asset.chainId
  if (away && !readable) return { step: 'switch', chainId: asset.chainId }
  if (quote.error !== undefined && !quote.loading) {
    const { code } = quote.error as { code?: string }
    return code === 'CREDENTIALS_DENIED' ? { step: 'denied' } : { step: 'failed', error: quote.error }
  }
  if (quote.loading || !quote.value) return { step: 'check' }
  if (open) return { step: 'unsure', entry: open }
  if (quote.value.price.type === 'unavailable') return { step: 'unavailable', why: 'price' }
  if (away) return { step: 'switch', chainId: asset.chainId }
  return { step: quote.value.presents ? 'present' : 'buy', quote: quote.value }
}
