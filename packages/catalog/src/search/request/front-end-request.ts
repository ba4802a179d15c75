import { CATALOG_LIMITS } from '../../limits.js'
import type { Search } from '../syntax.js'
import { bool } from './clauses.js'
import { type MajorVersion, ofVersions, versionOfIndex } from './document-versions.js'
import { QueryReader } from './query-reader.js'
import { readSearch } from './request.js'

const { page: PAGE } = CATALOG_LIMITS.search

/** Documents of a page whose size is 0: front ends compute tags, publishers and totals from them. */
const ALL = 100

/** A search with the name of an index, as front ends of Ocean Node send it, and the version whose form they read. */
export interface FrontEndSearch {
  search: Search
  version: MajorVersion
}

/**
 * Parses a search that names an index. Its `from` is the number of a page, from 1 for version 4 and from 0 for version 5, and
 * may be a text. Returns undefined if the body names no index. Throws a ValidationError that names unsupported parts.
 */
export function readFrontEndSearch(body: unknown): FrontEndSearch | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'index')) return undefined
  const { index, from, size, ...rest } = body as Record<string, unknown>
  const version = typeof index === 'string' ? versionOfIndex(index) : undefined
  if (version === undefined)
    throw new QueryReader('index').refuse('"index" must be the name of an index of documents, such as op_ddo_v4.1.0.')
  const page = readPage({ from, size }, version === 4 ? 1 : 0)
  // the form of version 5 has the total, and the last page follows from it
  const counting = version === 5 ? { track_total_hits: true } : {}
  const search = readSearch({ ...rest, ...counting, from: 0, size: page.size })
  return {
    search: { ...search, ...page, query: bool({ must: [search.query], filter: [ofVersions([version])] }) },
    version,
  }
}

/** Parses the number of a page, which may be a text, and its size. `first`: the number of the first page. */
export function readPage(
  { from = 0, size: wanted = 10 }: { from?: unknown; size?: unknown },
  first: 0 | 1,
): Pick<Search, 'from' | 'size'> {
  const size = Math.min(numberOf(wanted, 'size') || ALL, PAGE.most)
  const skipped = size * Math.max(0, numberOf(from, 'from') - first)
  if (skipped + size > PAGE.reach)
    throw new QueryReader('from').refuse(`A page must not reach beyond ${PAGE.reach} entries.`)
  return { from: skipped, size }
}

/** A whole number, or one as text. */
function numberOf(value: unknown, name: string): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return new QueryReader(name).whole(number, name, PAGE.reach)
}

/** Returns the search for the last page, if this one lies behind it. `total`: the documents that it finds. */
export function lastPageOf(search: Search, total: number): Search | undefined {
  if (total === 0 || search.from < total) return undefined
  return { ...search, from: Math.floor((total - 1) / search.size) * search.size }
}
