import { type AssetQuery, type SearchResult, searchBody, searchResult } from '@tidegate/protocol/asset'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'

export interface SearchOptions extends AssetQuery {
  signal?: AbortSignal | undefined
}

/** Most assets per page: the provider returns prices for this many. */
const MOST = 50
/** A price as a decimal text. */
const DECIMAL = /^\d{1,15}(\.\d{1,18})?$/

/**
 * Searches the assets that are for sale; blocked and unlisted ones only by their owner. Throws TidegateError `SEARCH_UNAVAILABLE`,
 * `BAD_OPTION`, and `VALIDATION` for a query that the provider refuses.
 *
 * @example
 * const { assets, total } = await search(context, { text: 'tide tables', tags: ['hydrology'], sort: 'newest' })
 */
export async function search(context: Context, options: SearchOptions = {}): Promise<SearchResult> {
  const { page = 1, size, price, signal } = options
  if (!Number.isSafeInteger(page) || page < 1 || page > 500)
    throw new TidegateError('BAD_OPTION', 'page must be a number from 1 to 500.')
  if (size !== undefined && (!Number.isSafeInteger(size) || size < 1 || size > MOST))
    throw new TidegateError('BAD_OPTION', `size must be a number from 1 to ${MOST}.`)
  for (const limit of [price?.least, price?.most])
    if (limit !== undefined && !DECIMAL.test(limit))
      throw new TidegateError('BAD_OPTION', 'The limits of a price must be amounts such as 2.5.')
  const result = searchResult(
    await context.api.post('/api/aquarius/assets/query', searchBody(options), signal),
    options,
  )
  if (!result) throw new TidegateError('BAD_ANSWER', "The provider's response has no search result.")
  return result
}
