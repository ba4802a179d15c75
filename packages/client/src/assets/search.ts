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
  /** Whether the last word is a prefix, for searches during typing. Beside other words it does not count for the order. */
  beginning?: boolean | undefined
  /** Required tags. */
  tags?: string[] | undefined
  /** The owner, whose unlisted assets are found as well. */
  owner?: Address | undefined
  /** Type of the asset: `dataset`, `algorithm`, … */
  type?: string | undefined
  /** True: only free assets; false: only paid ones. */
  free?: boolean | undefined
  /** Only assets with a price in this token, without fees. Limits are decimal texts and included. */
  price?: { token: Address; least?: string | undefined; most?: string | undefined } | undefined
  /**
   * Order of the results. Default: `relevance` with a text, otherwise `newest`. `price` is the lowest first, token by token,
   * with free assets before.
   */
  sort?: 'relevance' | 'newest' | 'oldest' | 'name' | 'orders' | 'price' | undefined
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
  /** Whether `total` is a lower bound: the provider stops counting. */
  atLeast: boolean
  /** Whether the next page has assets. */
  more: boolean
}

/** Most assets of one request: the provider returns prices for this many. */
const PAGE = 50
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

/** The price of an asset's first offer, and its token. */
const PRICE = 'stats.price.value'
const TOKEN = 'stats.price.tokenAddress'
/** A price as a decimal text. */
const DECIMAL = /^\d{1,15}(\.\d{1,18})?$/

const ORDERS: Record<NonNullable<SearchOptions['sort']>, unknown> = {
  relevance: ['_score', { 'nft.created': 'desc' }],
  newest: [{ 'nft.created': 'desc' }],
  oldest: [{ 'nft.created': 'asc' }],
  name: [{ 'metadata.name.keyword': 'asc' }],
  orders: [{ 'stats.orders': 'desc' }],
  price: [{ [PRICE]: 'asc' }],
}

/**
 * Searches the assets that are for sale; blocked and unlisted ones only by their owner. Throws TidegateError `SEARCH_UNAVAILABLE`,
 * `BAD_OPTION`, and `VALIDATION` for a query that the provider refuses.
 *
 * @example
 * const { assets, total } = await search(context, { text: 'tide tables', tags: ['hydrology'], sort: 'newest' })
 */
export async function search(context: Context, options: SearchOptions = {}): Promise<SearchResult> {
  const { page = 1, size = 20, price } = options
  if (!Number.isSafeInteger(page) || page < 1 || page > 500)
    throw new TidegateError('BAD_OPTION', 'page must be a number from 1 to 500.')
  if (!Number.isSafeInteger(size) || size < 1 || size > PAGE)
    throw new TidegateError('BAD_OPTION', `size must be a number from 1 to ${PAGE}.`)
  for (const limit of [price?.least, price?.most])
    if (limit !== undefined && !DECIMAL.test(limit))
      throw new TidegateError('BAD_OPTION', 'The limits of a price must be amounts such as 2.5.')
  const from = (page - 1) * size
  const { assets, total, atLeast } = await found(context, options, from, size)
  return { assets, page, total, atLeast, more: from + size < total }
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

/** Returns the query of a search for the provider's search route, for aggregations of its matches. */
export function searchQuery(options: SearchOptions): object {
  const { text, beginning = false, tags = [], owner, type } = options
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
    ...priced(options),
  ]
  // owners find their blocked and unlisted assets. Unlisted ones are rare, so that leaving them out is cheap
  const blocked = owner === undefined ? [{ term: { 'purgatory.state': false } }] : []
  const hidden = owner === undefined ? { must_not: [{ term: { 'nft.state': STATES.indexOf('unlisted') } }] } : {}
  const { must, also } = wanted(words, beginning)
  return { bool: { must, filter: [...also, ...filter, ...blocked], ...hidden } }
}

function priced({ free, price }: SearchOptions): object[] {
  const range = (limits: object) => ({ range: { [PRICE]: limits } })
  const { least, most } = price ?? {}
  const limits = {
    ...(least === undefined ? {} : { gte: Number(least) }),
    ...(most === undefined ? {} : { lte: Number(most) }),
  }
  return [
    ...(free === undefined ? [] : [range(free ? { lte: 0 } : { gt: 0 })]),
    ...(price ? [{ term: { [TOKEN]: price.token } }] : []),
    ...(Object.keys(limits).length > 0 ? [range(limits)] : []),
  ]
}

/**
 * Returns the conditions for words. A word with other characters than letters and digits is never a prefix. A prefix beside other words
 * does not count for the order: where it was found is of no use before the word is complete.
 */
function wanted(words: string[], beginning: boolean): { must: object[]; also: object[] } {
  const last = words.at(-1) ?? ''
  if (last === '') return { must: [{ match_all: {} }], also: [] }
  const isBeginning = beginning && /^[\p{L}\p{N}]+$/u.test(last) && !OPERATORS.has(last)
  const whole = (isBeginning ? words.slice(0, -1) : words).join(' ')
  const prefix = isBeginning ? [{ query_string: { query: `${last}*`, fields: FIELDS } }] : []
  if (whole === '') return { must: prefix, also: [] }
  return { must: [{ multi_match: { query: whole, fields: FIELDS, operator: 'and' } }], also: prefix }
}
