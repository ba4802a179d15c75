import { searchQuery } from '@tidegate/client'
import { type CatalogueQuery, optionsOf } from './catalogue-query.js'
import { reading } from './context.js'

/** Types and tags of the matches of a search, with the number of matches of each. */
export interface Facets {
  types: Facet[]
  tags: Facet[]
}

export interface Facet {
  value: string
  /** 0 if it is not known. */
  count: number
}

const TAGS = 24
const TYPES = 12

/** The newest matches that are read for facets. More take seconds where a hundred thousand match. */
const READ = 10_000

interface Answer {
  aggregations?: Record<string, { buckets?: unknown; doc_count_error_upper_bound?: unknown }>
}

/**
 * Asks the index for types and tags of the matches. Types are those without the filter by type, to choose another one.
 */
export async function facetsOf(query: CatalogueQuery, signal: AbortSignal): Promise<Facets> {
  const [own, others] = await Promise.all([
    aggregated(query, signal),
    query.type === '' ? undefined : aggregated({ ...query, type: '' }, signal),
  ])
  return { ...own, types: (others ?? own).types }
}

async function aggregated(query: CatalogueQuery, signal: AbortSignal): Promise<Facets> {
  const terms = (field: string, size: number) => ({ terms: { field, size } })
  const aggs = { types: terms('metadata.type.keyword', TYPES), tags: terms('metadata.tags.keyword', TAGS) }
  const answer = await reading().api.post<Answer>(
    '/api/aquarius/assets/query',
    { query: searchQuery(optionsOf(query)), size: 0, aggs, terminate_after: READ },
    signal,
  )
  return { types: facetsIn(answer, 'types'), tags: facetsIn(answer, 'tags') }
}

/** Returns the facets of an answer, without counts if not all matches were read. */
export function facetsIn({ aggregations }: Answer, name: string): Facet[] {
  const { buckets, doc_count_error_upper_bound: error } = aggregations?.[name] ?? {}
  return (Array.isArray(buckets) ? buckets : []).flatMap(({ key, doc_count }: Record<string, unknown>) =>
    typeof key === 'string' && key.length <= 60 && typeof doc_count === 'number'
      ? [{ value: key, count: error === 0 ? doc_count : 0 }]
      : [],
  )
}
