import type { SearchOptions } from '@tidegate/client'
import type { Address } from 'viem'
import { CONSOLE_LIMITS } from '../limits.js'

/** The query of the catalogue, from its address. */
export interface CatalogueQuery {
  text: string
  type: string
  tags: string[]
  license: string
  /** A format of files; empty for any. */
  format: string
  size: Size | ''
  price: 'any' | 'free' | 'paid'
  /** Only assets that are sold for this token, for at most `most`; empty for any. */
  token: string
  most: string
  sort: Sort | undefined
  page: number
}

const { small: SMALL, large: LARGE } = CONSOLE_LIMITS.catalogue.sizes

/** Sizes of all files of an asset, in bytes. */
export const SIZES = {
  small: { most: SMALL },
  middle: { least: SMALL, most: LARGE },
  large: { least: LARGE },
} as const
export type Size = keyof typeof SIZES

export type Sort = NonNullable<SearchOptions['sort']>

export const SORTS: readonly Sort[] = ['relevance', 'newest', 'oldest', 'name', 'orders', 'price']
export const PAGE_SIZE = 24

/** Most characters of a text or tag, and most tags. */
const LONGEST = 200
const MOST_TAGS = 10
/** The provider returns at most ten thousand assets. */
const LAST_PAGE = 400

/** The amount of a price. */
export const AMOUNT = /^\d{1,15}(\.\d{1,18})?$/

/** Reads an address and ignores invalid values. */
export function queryOf(search: string): CatalogueQuery {
  const params = new URLSearchParams(search)
  const price = params.get('price')
  const sort = SORTS.find((one) => one === params.get('sort'))
  const size = params.get('size') ?? ''
  const page = params.get('page') ?? ''
  const token = /^0x[0-9a-f]{40}$/i.exec(params.get('token') ?? '')?.[0].toLowerCase() ?? ''
  const most = AMOUNT.exec(params.get('most') ?? '')?.[0] ?? ''
  return {
    text: (params.get('q') ?? '').slice(0, LONGEST),
    type: (params.get('type') ?? '').slice(0, LONGEST),
    tags: [...new Set(params.getAll('tag').map((tag) => tag.slice(0, LONGEST)))].filter(Boolean).slice(0, MOST_TAGS),
    license: (params.get('license') ?? '').slice(0, LONGEST),
    format: (params.get('format') ?? '').slice(0, LONGEST),
    size: Object.hasOwn(SIZES, size) ? (size as Size) : '',
    price: token ? 'paid' : price === 'free' || price === 'paid' ? price : 'any',
    token,
    most: token && most,
    sort,
    page: /^[1-9]\d{0,2}$/.test(page) ? Math.min(Number(page), LAST_PAGE) : 1,
  }
}

/** Returns the address of a query, without default values. */
export function searchOf(query: CatalogueQuery): string {
  const { text, type, tags, license, format, size, price, token, most, sort, page } = query
  const params = new URLSearchParams()
  if (text.trim()) params.set('q', text)
  if (type) params.set('type', type)
  for (const tag of tags) params.append('tag', tag)
  if (license) params.set('license', license)
  if (format) params.set('format', format)
  if (size) params.set('size', size)
  if (price !== 'any') params.set('price', price)
  if (token) params.set('token', token)
  if (token && most) params.set('most', most)
  if (sort) params.set('sort', sort)
  if (page > 1) params.set('page', String(page))
  const search = params.toString()
  return search && `?${search}`
}

/** Returns the query for the client library. */
export function optionsOf(query: CatalogueQuery): SearchOptions {
  const { text, type, tags, license, format, size, price, token, most, sort, page } = query
  return {
    ...(text.trim() ? { text, beginning: true } : {}),
    ...(type ? { type } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(license ? { license } : {}),
    ...(format ? { format } : {}),
    ...(size ? { bytes: SIZES[size] } : {}),
    ...(price === 'any' ? {} : { free: price === 'free' }),
    ...(token ? { price: { token: token as Address, most: most || undefined } } : {}),
    // without a text, all matches have the same relevance
    ...(sort && (sort !== 'relevance' || text.trim()) ? { sort } : {}),
    page,
    size: PAGE_SIZE,
  }
}

/** The changes that take all filters away. */
export const UNFILTERED: Partial<CatalogueQuery> = {
  text: '',
  type: '',
  tags: [],
  license: '',
  format: '',
  size: '',
  price: 'any',
  token: '',
  most: '',
}

export function isFiltered({ tags, price, ...query }: CatalogueQuery): boolean {
  const texts = [query.text.trim(), query.type, query.license, query.format, query.size, query.token]
  return texts.some((one) => one !== '') || tags.length > 0 || price !== 'any'
}
