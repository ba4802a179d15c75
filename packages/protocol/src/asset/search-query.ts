import type { Address } from '../hex.js'
import { STATES } from './served.js'

/** A search for assets. */
export interface AssetQuery {
  /** Required words, each in name, description, author, tags or DID. */
  text?: string | undefined
  /** Whether the last word is a prefix, for searches during typing. Beside other words it does not count for the order. */
  beginning?: boolean | undefined
  /** Required tags. */
  tags?: string[] | undefined
  /** The owner, whose unlisted assets are found as well. */
  owner?: Address | undefined
  /** The account that has sent the newest metadata. */
  publisher?: Address | undefined
  /** Type of the asset: `dataset`, `algorithm`, … */
  type?: string | undefined
  /** The licence, as its publisher wrote it. */
  license?: string | undefined
  /** A format of its files, such as `csv`, as its publisher tells. */
  format?: string | undefined
  /** Least and most bytes of its files, as its publisher tells. */
  bytes?: { least?: number | undefined; most?: number | undefined } | undefined
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
}

/** Assets per page, unless the query says another number. */
export const SIZE = 20
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
/** What publishers tell of the files. */
const RELEASE = 'services.additionalInformation.release'

const ORDERS: Record<NonNullable<AssetQuery['sort']>, unknown> = {
  relevance: ['_score', { 'nft.created': 'desc' }],
  newest: [{ 'nft.created': 'desc' }],
  oldest: [{ 'nft.created': 'asc' }],
  name: [{ 'metadata.name.keyword': 'asc' }],
  orders: [{ 'stats.orders': 'desc' }],
  price: [{ [PRICE]: 'asc' }],
}

/** Returns the body of a request to the provider's search route. */
export function searchBody(query: AssetQuery): object {
  const { text, sort = text ? 'relevance' : 'newest', page = 1, size = SIZE } = query
  return { query: searchQuery(query), from: (page - 1) * size, size, sort: ORDERS[sort] }
}

/** Returns the query of a search for the provider's search route, for aggregations of its matches. */
export function searchQuery(options: AssetQuery): object {
  const { text, beginning = false, tags = [], owner, publisher, type, license, format, bytes } = options
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
    ...(publisher === undefined ? [] : [{ term: { 'event.from': publisher } }]),
    ...(type === undefined ? [] : [either('type', type)]),
    ...(license === undefined ? [] : [either('license.keyword', license)]),
    ...(format === undefined ? [] : [{ term: { [`${RELEASE}.formats.keyword`]: format } }]),
    ...rangeOf(`${RELEASE}.bytes`, bytes?.least, bytes?.most),
    ...priced(options),
  ]
  // owners find their blocked and unlisted assets. Unlisted ones are rare, so that leaving them out is cheap
  const blocked = owner === undefined ? [{ term: { 'purgatory.state': false } }] : []
  const hidden = owner === undefined ? { must_not: [{ term: { 'nft.state': STATES.indexOf('unlisted') } }] } : {}
  const { must, also } = wanted(words, beginning)
  return { bool: { must, filter: [...also, ...filter, ...blocked], ...hidden } }
}

function priced({ free, price }: AssetQuery): object[] {
  const { least, most } = price ?? {}
  return [
    ...(free === undefined ? [] : [{ range: { [PRICE]: free ? { lte: 0 } : { gt: 0 } } }]),
    ...(price ? [{ term: { [TOKEN]: price.token } }] : []),
    ...rangeOf(PRICE, least, most),
  ]
}

function rangeOf(field: string, least: number | string | undefined, most: number | string | undefined): object[] {
  const limits = {
    ...(least === undefined ? {} : { gte: Number(least) }),
    ...(most === undefined ? {} : { lte: Number(most) }),
  }
  return Object.keys(limits).length > 0 ? [{ range: { [field]: limits } }] : []
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
