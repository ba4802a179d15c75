import { CATALOG_LIMITS } from '../../limits.js'
import type { Aggregation, Search, Sort, SourceFilter } from '../syntax.js'
import { EVERYTHING } from './clauses.js'
import { isConstruct, readClause } from './query.js'
import { type Body, QueryReader, unsupported, withoutKeyword } from './query-reader.js'

const LIMITS = CATALOG_LIMITS.search

const KNOWN = [
  'query',
  'from',
  'size',
  'sort',
  '_source',
  'aggs',
  'aggregations',
  'track_total_hits',
  'terminate_after',
]

/**
 * Parses a search body in Elasticsearch's format: query, page, sort, source filter and aggregations. A bare clause counts as the query;
 * an empty body finds everything. Throws ValidationError, which names unsupported parts.
 */
export function readSearch(body: unknown): Search {
  const whole = new QueryReader('body').object(body ?? {}, 'The body')
  const [first, ...others] = Object.keys(whole)
  const parts: Body = first !== undefined && others.length === 0 && isConstruct(first) ? { query: whole } : whole
  for (const key of Object.keys(parts)) if (!KNOWN.includes(key)) throw unsupported(key, key)
  if (parts.aggs !== undefined && parts.aggregations !== undefined)
    throw new QueryReader('aggs').refuse('It may be there as aggs or as aggregations, not as both.')
  const from = parts.from === undefined ? 0 : new QueryReader('from').whole(parts.from, 'from', LIMITS.page.reach)
  // not refused: front ends request more than a page may have, and accept fewer
  const size = parts.size === undefined ? 10 : new QueryReader('size').whole(parts.size, 'size', LIMITS.page.reach)
  if (from + Math.min(size, LIMITS.page.most) > LIMITS.page.reach)
    throw new QueryReader('from').refuse(`"from" and "size" together must not be above ${LIMITS.page.reach}.`)
  return {
    query: parts.query === undefined ? EVERYTHING : readClause(parts.query, new QueryReader('query')),
    from,
    size: Math.min(size, LIMITS.page.most),
    sort: sortOf(parts.sort, new QueryReader('sort')),
    source: sourceOf(parts._source, new QueryReader('_source')),
    countUpTo: countLimitOf(parts.track_total_hits, new QueryReader('track_total_hits')),
    aggregations: aggregationsOf(parts.aggs ?? parts.aggregations, new QueryReader('aggs'), 1),
    aggregateUpTo: aggregationLimitOf(parts.terminate_after, new QueryReader('terminate_after')),
  }
}

/** The default sort keys, all descending. */
const DEFAULT = ['_score', 'nft.created']

/** Parses sort keys; empty for the default order: by score, then newest first. */
function sortOf(value: unknown, reader: QueryReader): Sort[] {
  if (value === undefined) return []
  const sorts: Sort[] = []
  for (const one of Array.isArray(value) ? value : [value]) {
    const entries: [string, unknown][] =
      typeof one === 'string' ? [[one, {}]] : Object.entries(reader.object(one, 'sort'))
    for (const [name, how] of entries) {
      sorts.push(sortBy(name, how, reader))
      if (sorts.length > LIMITS.aggregations) throw reader.refuse(`It has more than ${LIMITS.aggregations} fields.`)
    }
  }
  const isDefault = sorts.every(({ path, descending }, at) => path === DEFAULT[at] && descending)
  return isDefault ? [] : sorts
}

function sortBy(name: string, how: unknown, reader: QueryReader): Sort {
  const body: Body = typeof how === 'string' ? { order: how } : reader.object(how, name.slice(0, 80))
  reader.only(body, 'sort', ['order', 'missing', 'unmapped_type'])
  const { path } = withoutKeyword(reader.path(name, 'sort'))
  const order =
    body.order === undefined
      ? path === '_score'
        ? 'desc'
        : 'asc'
      : reader.choice(body.order, 'sort.order', ['asc', 'desc'])
  const missing =
    body.missing === undefined ? '_last' : reader.choice(body.missing, 'sort.missing', ['_first', '_last'])
  return { path, descending: order === 'desc', missing: missing === '_first' ? 'first' : 'last' }
}

function sourceOf(value: unknown, reader: QueryReader): SourceFilter | undefined {
  if (value === undefined || value === true) return { includes: [], excludes: [] }
  if (value === false) return undefined
  const names = (list: unknown, of: string): string[] => {
    if (list === undefined) return []
    const all = (typeof list === 'string' ? [list] : reader.list(list, of, LIMITS.fields)).map((one) => {
      if (typeof one !== 'string' || one.length > LIMITS.path) throw reader.refuse(`"${of}" must be names of fields.`)
      return one
    })
    const patterns = all.filter((one) => one.includes('*'))
    if (patterns.reduce((sum, { length }) => sum + length, 0) > LIMITS.path)
      throw reader.refuse(`The names with "*" in "${of}" have more than ${LIMITS.path} characters together.`)
    return all
  }
  if (typeof value === 'string' || Array.isArray(value)) return { includes: names(value, '_source'), excludes: [] }
  const body = reader.object(value, '_source')
  reader.only(body, '_source', ['includes', 'excludes', 'include', 'exclude'])
  return {
    includes: names(body.includes ?? body.include, '_source.includes'),
    excludes: names(body.excludes ?? body.exclude, '_source.excludes'),
  }
}

/** Parses the number of hits to count. */
function countLimitOf(value: unknown, reader: QueryReader): number | undefined {
  if (value === false) return undefined
  if (value === undefined || value === true) return LIMITS.counted
  if (typeof value !== 'number') throw reader.refuse('"track_total_hits" must be true, false or a whole number.')
  return Math.min(reader.whole(value, 'track_total_hits', Number.MAX_SAFE_INTEGER), LIMITS.counted)
}

/** Parses the number of hits to aggregate. 0 is the default, as in Elasticsearch. */
function aggregationLimitOf(value: unknown, reader: QueryReader): number {
  const most = value === undefined ? 0 : reader.whole(value, 'terminate_after', Number.MAX_SAFE_INTEGER)
  return Math.min(most || LIMITS.aggregated, LIMITS.aggregated)
}

function aggregationsOf(value: unknown, reader: QueryReader, level: number): Record<string, Aggregation> {
  if (value === undefined) return {}
  const entries = Object.entries(reader.object(value, 'aggs'))
  return Object.fromEntries(entries.map(([name, body]) => [name, aggregationOf(body, reader, level)]))
}

function aggregationOf(value: unknown, reader: QueryReader, level: number): Aggregation {
  reader.lookup(LIMITS.lookups / LIMITS.aggregations)
  const { aggs, aggregations, ...rest } = reader.object(value, 'An aggregation')
  const [kind, inside] = reader.entry(rest, 'An aggregation')
  if (kind !== 'terms' && kind !== 'sum') throw unsupported(reader.part, kind)
  const body = reader.object(inside, kind)
  reader.only(body, kind, kind === 'sum' ? ['field'] : ['field', 'size', 'order'])
  const { path } = withoutKeyword(reader.path(body.field, `${kind}.field`))
  const nested = aggs ?? aggregations
  if (nested !== undefined && (kind === 'sum' || level > 1)) throw unsupported(reader.part, 'aggs inside of this one')
  if (kind === 'sum') return { kind, path }
  const size = body.size === undefined ? 10 : reader.whole(body.size, 'terms.size', LIMITS.page.reach)
  const within = aggregationsOf(nested, reader, level + 1)
  return {
    kind,
    path,
    size: Math.min(size, LIMITS.buckets),
    order: orderOf(body.order, within, reader),
    inside: within,
  }
}

function orderOf(value: unknown, inside: Record<string, Aggregation>, reader: QueryReader) {
  if (value === undefined) return { by: '_count', descending: true }
  const [by, direction] = reader.entry(Array.isArray(value) && value.length === 1 ? value[0] : value, 'terms.order')
  const sum = Object.hasOwn(inside, by) && inside[by]?.kind === 'sum'
  if (by !== '_count' && by !== '_key' && !sum) throw unsupported(reader.part, `terms.order.${by}`)
  return { by, descending: reader.choice(direction, 'terms.order', ['asc', 'desc']) === 'desc' }
}
