import { CATALOG_LIMITS } from '../limits.js'
import { EVERYTHING } from './clauses.js'
import { isConstruct, readClause } from './query.js'
import { type Body, Reading, unsupported, withoutKeyword } from './reading.js'
import type { Aggregation, Search, Sort, SourceFilter } from './syntax.js'

const LIMITS = CATALOG_LIMITS.search

const KNOWN = ['query', 'from', 'size', 'sort', '_source', 'aggs', 'aggregations', 'track_total_hits']

/**
 * Parses the body of a search in Elasticsearch's format: query, page, sort and source filter. A bare clause is accepted
 * as the query, and an empty body finds everything. Throws a ValidationError that names unsupported parts.
 */
export function readSearch(body: unknown): Search {
  const whole = new Reading('body').object(body ?? {}, 'The body')
  const [first, ...others] = Object.keys(whole)
  const parts: Body = first !== undefined && others.length === 0 && isConstruct(first) ? { query: whole } : whole
  for (const key of Object.keys(parts)) if (!KNOWN.includes(key)) throw unsupported(key, key)
  if (parts.aggs !== undefined && parts.aggregations !== undefined)
    throw new Reading('aggs').refuse('It may be there as aggs or as aggregations, not as both.')
  const from = parts.from === undefined ? 0 : new Reading('from').whole(parts.from, 'from', LIMITS.page.reach)
  // front ends request more than a page may have, and accept fewer
  const size = parts.size === undefined ? 10 : new Reading('size').whole(parts.size, 'size', LIMITS.page.reach)
  if (from + Math.min(size, LIMITS.page.most) > LIMITS.page.reach)
    throw new Reading('from').refuse(`"from" and "size" together must not be above ${LIMITS.page.reach}.`)
  return {
    query: parts.query === undefined ? EVERYTHING : readClause(parts.query, new Reading('query')),
    from,
    size: Math.min(size, LIMITS.page.most),
    sort: sortOf(parts.sort, new Reading('sort')),
    source: sourceOf(parts._source, new Reading('_source')),
    counted: countedOf(parts.track_total_hits, new Reading('track_total_hits')),
    aggregations: aggregationsOf(parts.aggs ?? parts.aggregations, new Reading('aggs'), 1),
  }
}

/** What hits are sorted by without `sort`, each descending. */
const DEFAULT = ['_score', 'nft.created']

/** Fields to sort by; empty for the order of the default: by score, and of the same score the newest first. */
function sortOf(value: unknown, reading: Reading): Sort[] {
  if (value === undefined) return []
  const sorts: Sort[] = []
  for (const one of Array.isArray(value) ? value : [value]) {
    const entries: [string, unknown][] =
      typeof one === 'string' ? [[one, {}]] : Object.entries(reading.object(one, 'sort'))
    for (const [name, how] of entries) {
      sorts.push(sortBy(name, how, reading))
      if (sorts.length > LIMITS.aggregations) throw reading.refuse(`It has more than ${LIMITS.aggregations} fields.`)
    }
  }
  const isDefault = sorts.every(({ path, descending }, at) => path === DEFAULT[at] && descending)
  return isDefault ? [] : sorts
}

function sortBy(name: string, how: unknown, reading: Reading): Sort {
  const body: Body = typeof how === 'string' ? { order: how } : reading.object(how, name.slice(0, 80))
  reading.only(body, 'sort', ['order', 'missing', 'unmapped_type'])
  const { path } = withoutKeyword(reading.path(name, 'sort'))
  const order =
    body.order === undefined
      ? path === '_score'
        ? 'desc'
        : 'asc'
      : reading.choice(body.order, 'sort.order', ['asc', 'desc'])
  const missing =
    body.missing === undefined ? '_last' : reading.choice(body.missing, 'sort.missing', ['_first', '_last'])
  return { path, descending: order === 'desc', missing: missing === '_first' ? 'first' : 'last' }
}

function sourceOf(value: unknown, reading: Reading): SourceFilter | undefined {
  if (value === undefined || value === true) return { includes: [], excludes: [] }
  if (value === false) return undefined
  const names = (list: unknown, of: string): string[] =>
    list === undefined
      ? []
      : (typeof list === 'string' ? [list] : reading.list(list, of, LIMITS.fields)).map((one) => {
          if (typeof one !== 'string' || one.length > LIMITS.path)
            throw reading.refuse(`"${of}" must be names of fields.`)
          return one
        })
  if (typeof value === 'string' || Array.isArray(value)) return { includes: names(value, '_source'), excludes: [] }
  const body = reading.object(value, '_source')
  reading.only(body, '_source', ['includes', 'excludes', 'include', 'exclude'])
  return {
    includes: names(body.includes ?? body.include, '_source.includes'),
    excludes: names(body.excludes ?? body.exclude, '_source.excludes'),
  }
}

/** How many hits to count. */
function countedOf(value: unknown, reading: Reading): number | undefined {
  if (value === false) return undefined
  if (value === undefined || value === true) return LIMITS.counted
  if (typeof value !== 'number') throw reading.refuse('"track_total_hits" must be true, false or a whole number.')
  return Math.min(reading.whole(value, 'track_total_hits', Number.MAX_SAFE_INTEGER), LIMITS.counted)
}

function aggregationsOf(value: unknown, reading: Reading, level: number): Record<string, Aggregation> {
  if (value === undefined) return {}
  const entries = Object.entries(reading.object(value, 'aggs'))
  return Object.fromEntries(entries.map(([name, body]) => [name, aggregationOf(body, reading, level)]))
}

function aggregationOf(value: unknown, reading: Reading, level: number): Aggregation {
  reading.lookup(LIMITS.lookups / LIMITS.aggregations)
  const { aggs, aggregations, ...rest } = reading.object(value, 'An aggregation')
  const [kind, inside] = reading.entry(rest, 'An aggregation')
  if (kind !== 'terms' && kind !== 'sum') throw unsupported(reading.part, kind)
  const body = reading.object(inside, kind)
  reading.only(body, kind, kind === 'sum' ? ['field'] : ['field', 'size', 'order'])
  const { path } = withoutKeyword(reading.path(body.field, `${kind}.field`))
  const nested = aggs ?? aggregations
  if (nested !== undefined && (kind === 'sum' || level > 1)) throw unsupported(reading.part, 'aggs inside of this one')
  if (kind === 'sum') return { kind, path }
  const size = body.size === undefined ? 10 : reading.whole(body.size, 'terms.size', LIMITS.page.reach)
  const within = aggregationsOf(nested, reading, level + 1)
  return {
    kind,
    path,
    size: Math.min(size, LIMITS.buckets),
    order: orderOf(body.order, within, reading),
    inside: within,
  }
}

function orderOf(value: unknown, inside: Record<string, Aggregation>, reading: Reading) {
  if (value === undefined) return { by: '_count', descending: true }
  const [by, direction] = reading.entry(Array.isArray(value) && value.length === 1 ? value[0] : value, 'terms.order')
  const sum = Object.hasOwn(inside, by) && inside[by]?.kind === 'sum'
  if (by !== '_count' && by !== '_key' && !sum) throw unsupported(reading.part, `terms.order.${by}`)
  return { by, descending: reading.choice(direction, 'terms.order', ['asc', 'desc']) === 'desc' }
}
