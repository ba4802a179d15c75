import type { Address } from 'viem'
import { STATES } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asset } from '../types.js'
import { fieldsOf, listOf } from '../values.js'
import { assetOf } from './describe.js'

export interface SearchOptions {
  /** Required words, each in name, description, author, tags or DID. */
  text?: string | undefined
  /** Whether the last word is a prefix, for searches during typing. */
  beginning?: boolean | undefined
  /** Required tags. */
  tags?: string[] | undefined
  /** The owner, whose unlisted assets are found as well. */
  owner?: Address | undefined
  /** Type of the asset: `dataset`, `algorithm`, … */
  type?: string | undefined
  /**
   * True: only free assets; false: only paid ones. Providers do not index prices, so the library filters the first 1,000
   * matches. `atLeast` is set if there are more.
   */
  free?: boolean | undefined
  /** Order of the results. Default: `relevance` with a text, otherwise `newest`. */
  sort?: 'relevance' | 'newest' | 'oldest' | 'name' | 'orders' | undefined
  /** Number of the page, from 1. */
  page?: number | undefined
  /** Assets per page: 20 by default, at most 50. */
  size?: number | undefined
  signal?: AbortSignal | undefined
}

export interface SearchResult {
  /** Assets with the index's prices and without files; `asset` returns those of one. */
  assets: Asset[]
  page: number
  /** The number of matches. */
  total: number
  /** Whether `total` is a lower bound: the provider stops counting, or `free` filters only the first 1,000 matches. */
  atLeast: boolean
  /** Whether the next page has assets. */
  more: boolean
}

/** Most assets of one request: the provider returns prices for this many. */
const PAGE = 50
/** Most matches that the filter `free` reads. */
const SCANNED = 1000
/** Most words and most tags of one search. */
const WORDS = 40

/** Operators of the provider's query string, which must be quoted. */
const OPERATORS = new Set(['AND', 'OR', 'NOT'])

const TEXT = ['name^10', 'tags^5', 'author^3', 'description']
const FIELDS = [
  'id',
  'nftAddress',
  ...TEXT.flatMap((field) => [`metadata.${field}`, `credentialSubject.metadata.${field}`]),
]

const ORDERS: Record<NonNullable<SearchOptions['sort']>, unknown> = {
  relevance: ['_score', { 'nft.created': 'desc' }],
  newest: [{ 'nft.created': 'desc' }],
  oldest: [{ 'nft.created': 'asc' }],
  name: [{ 'metadata.name.keyword': 'asc' }],
  orders: [{ 'stats.orders': 'desc' }],
}

/**
 * Searches the assets that are for sale; unlisted ones only by their owner. Throws TidegateError `SEARCH_UNAVAILABLE`,
 * `BAD_OPTION`, and `VALIDATION` for a query that the provider refuses.
 *
 * @example
 * const { assets, total } = await search(context, { text: 'tide tables', tags: ['hydrology'], sort: 'newest' })
 */
export async function search(context: Context, options: SearchOptions = {}): Promise<SearchResult> {
  const { page = 1, size = 20, free } = options
  if (!Number.isSafeInteger(page) || page < 1 || page > 500)
    throw new TidegateError('BAD_OPTION', 'page must be a number from 1 to 500.')
  if (!Number.isSafeInteger(size) || size < 1 || size > PAGE)
    throw new TidegateError('BAD_OPTION', `size must be a number from 1 to ${PAGE}.`)
  const from = (page - 1) * size
  if (free !== undefined) return scanned(context, options, from, size)
  const { assets, total, atLeast } = await found(context, options, from, size)
  return { assets, page, total, atLeast, more: from + size < total }
}

/** Filters page after page of matches until the requested page is full. One more match shows that there is a next page. */
async function scanned(context: Context, options: SearchOptions, skip: number, size: number): Promise<SearchResult> {
  const matching: Asset[] = []
  let from = 0
  let total = Number.POSITIVE_INFINITY
  for (; from < Math.min(total, SCANNED) && matching.length <= skip + size; from += PAGE) {
    const one = await found(context, options, from, PAGE)
    total = one.total
    matching.push(
      ...one.assets.filter(({ services }) =>
        services.some(({ price }) => price.type === (options.free ? 'free' : 'fixed')),
      ),
    )
  }
  return {
    assets: matching.slice(skip, skip + size),
    page: skip / size + 1,
    total: matching.length,
    atLeast: from < total,
    more: matching.length > skip + size,
  }
}

async function found({ api }: Context, options: SearchOptions, from: number, size: number) {
  const { text, sort = text ? 'relevance' : 'newest', signal } = options
  const body = { query: searchQuery(options), from, size, sort: ORDERS[sort] }
  const { hits } = fieldsOf(await api.post('/api/aquarius/assets/query', body, signal))
  const { total, hits: list } = fieldsOf(hits)
  const { value, relation } = fieldsOf(total)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || !Array.isArray(list))
    throw new TidegateError('BAD_ANSWER', "The provider's response has no search result.")
  return {
    assets: listOf(list, size).flatMap((hit) => assetOf(fieldsOf(fieldsOf(hit)._source))),
    total: value,
    atLeast: relation === 'gte',
  }
}

/** Returns the query of a search for the provider's search route, for aggregations of its matches. `free` is not part of it. */
export function searchQuery({ text, beginning = false, tags = [], owner, type }: SearchOptions): object {
  const words = (text ?? '').trim().split(/\s+/).slice(0, WORDS)
  const either = (field: string, value: string) => ({
    bool: {
      should: [
        { term: { [`metadata.${field}`]: value } },
        { term: { [`credentialSubject.metadata.${field}`]: value } },
      ],
      minimum_should_match: 1,
    },
  })
  const filter = [
    ...tags.slice(0, WORDS).map((tag) => either('tags.keyword', tag)),
    ...(owner === undefined ? [] : [{ term: { 'nft.owner': owner } }]),
    ...(type === undefined ? [] : [either('type', type)]),
  ]
  // unlisted assets are rare, so that leaving them out is cheap; their owner finds them
  const hidden = owner === undefined ? { must_not: [{ term: { 'nft.state': STATES.indexOf('unlisted') } }] } : {}
  return { bool: { must: wanted(words, beginning), filter, ...hidden } }
}

/** Returns a condition for each word. A word with other characters than letters and digits is never a prefix. */
function wanted(words: string[], beginning: boolean): object[] {
  const last = words.at(-1) ?? ''
  if (last === '') return [{ match_all: {} }]
  const isBeginning = beginning && /^[\p{L}\p{N}]+$/u.test(last) && !OPERATORS.has(last)
  const whole = (isBeginning ? words.slice(0, -1) : words).join(' ')
  return [
    ...(whole ? [{ multi_match: { query: whole, fields: FIELDS, operator: 'and' } }] : []),
    ...(isBeginning ? [{ query_string: { query: `${last}*`, fields: FIELDS } }] : []),
  ]
}
