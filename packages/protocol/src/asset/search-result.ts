import { fieldsOf, listOf } from '../values/fields.js'
import { assetOf } from './describe.js'
import { type AssetQuery, SIZE } from './search-query.js'
import type { Asset } from './types.js'

/** One page of the assets that a search has found. */
export interface SearchResult {
  /** Assets with the index's prices and without files; `asset` returns those of one. */
  assets: Asset[]
  page: number
  /** The number of matches. */
  total: number
  /** Whether `total` is a lower bound: the provider stops counting. */
  atLeast: boolean
  /** Whether the next page has assets. */
  more: boolean
}

/** Reads the answer of the provider's search route; undefined if it is no search result. */
export function searchResult(answer: unknown, { page = 1, size = SIZE }: AssetQuery): SearchResult | undefined {
  const { total, hits } = fieldsOf(fieldsOf(answer).hits)
  const { value, relation } = fieldsOf(total)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || !Array.isArray(hits)) return undefined
  return {
    assets: listOf(hits, size).flatMap((hit) => assetOf(fieldsOf(fieldsOf(hit)._source))),
    page,
    total: value,
    atLeast: relation === 'gte',
    more: page * size < value,
  }
}
