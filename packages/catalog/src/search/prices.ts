import type { IndexedAsset } from '@tidegate/protocol'
import { pathNumber } from './conditions/tokens.js'
import type { SearchValue } from './tables/rows.js'

/**
 * Fields of prices, which change without the document. They can be compared and sorted by. `each`: of every active offer; `first`
 * and `token`: of the first offer. Without a token the offer is free.
 */
export const PRICES = {
  each: 'indexedMetadata.stats.prices.price',
  first: 'stats.price.value',
  token: 'stats.price.tokenAddress',
} as const

/** Whether a field is a price. */
export const isPrice = (path: string): boolean => path === PRICES.each || path === PRICES.first

/** Numbers of the paths of prices, as stored. The row of the first price has its token as text. */
export const PRICE_PATHS = { each: pathNumber(PRICES.each), first: pathNumber(PRICES.first) }

/** Returns the rows of prices, which share their paths with no other value. */
export function priceRows({ offers }: Pick<IndexedAsset, 'offers'>): SearchValue[] {
  const all = [...(offers?.values() ?? [])].flat()
  const [first] = all
  if (!first) return []
  const each = [...new Set(all.map(({ price }) => Number(price)))]
  return [
    ...each.map((num, n) => ({ path: PRICE_PATHS.each, n, num, txt: null })),
    { path: PRICE_PATHS.first, n: 0, num: Number(first.price), txt: first.token ?? null },
  ]
}
