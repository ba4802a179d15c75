import { readPage } from '../request/front-end-request.js'
import { QueryReader } from '../request/query-reader.js'
import { readSearch } from '../request/request.js'
import type { Clause } from '../syntax.js'
import { ASSET_FIELDS, ORDER_FIELDS } from './order-fields.js'

/** A search of orders, newest first unless it says otherwise. */
export interface OrderSearch {
  query: Clause
  from: number
  size: number
  isOldestFirst: boolean
  /** Whether all orders that match are counted. */
  isCounted: boolean
}

/**
 * Parses a search of the index `order`. Returns undefined for every other body. `form`: that of the front ends; the Enterprise
 * market counts pages from 0, and reads how many orders there are. Throws a ValidationError that names unsupported parts.
 */
export function readOrderSearch(body: unknown, form: 'market' | 'enterprise'): OrderSearch | undefined {
  if (typeof body !== 'object' || body === null || (body as { index?: unknown }).index !== 'order') return undefined
  const { index: _, from, size, ...rest } = body as Record<string, unknown>
  const page = readPage({ from, size }, form === 'market' ? 1 : 0)
  const { query, sort } = readSearch({ ...rest, query: withoutUndefined(rest.query), from: 0, size: page.size })
  if (!isListed(query))
    throw new QueryReader('query').refuse(
      'A search of orders must name a consumer, payer, datatokenAddress, nftAddress, did or orderId.',
    )
  assertReadable(query)
  const byTime = sort.find(({ path }) => path === 'timestamp')
  return { query, ...page, isOldestFirst: byTime?.descending === false, isCounted: form === 'enterprise' }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Lets an empty `term` among the filters match nothing: a market without a wallet sends its undefined address so. */
function withoutUndefined(query: unknown): unknown {
  const { bool } = (query ?? {}) as { bool?: { filter?: unknown } | null }
  if (!Array.isArray(bool?.filter)) return query
  const isEmptyTerm = (part: unknown) => isEmpty((part as { term?: unknown } | null)?.term)
  return {
    ...(query as object),
    bool: { ...bool, filter: bool.filter.map((part) => (isEmptyTerm(part) ? { match_none: {} } : part)) },
  }
}

/** Whether an index lists all orders that can match: no search reads all orders. */
function isListed(clause: Clause): boolean {
  switch (clause.kind) {
    case 'none':
    case 'ids':
      return true
    case 'values':
      return ORDER_FIELDS.get(clause.path)?.isListed === true || ASSET_FIELDS.has(clause.path)
    case 'bool': {
      const { must, filter, should, least } = clause
      return [...must, ...filter].some(isListed) || (least > 0 && should.length > 0 && should.every(isListed))
    }
    default:
      return false
  }
}

/** Refuses texts, by which orders are not indexed. */
function assertReadable(clause: Clause): void {
  if (clause.kind === 'text')
    throw new QueryReader('query').refuse('Orders are found by term, terms, ids, range and exists, not by words.')
  if (clause.kind !== 'bool') return
  for (const part of [clause.must, clause.filter, clause.should, clause.not].flat()) assertReadable(part)
}
