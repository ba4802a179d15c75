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
  count: number
}

const TAGS = 24
const TYPES = 12

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
  const answer = await reading().api.post<{ aggregations?: Record<string, { buckets?: unknown }> }>(
    '/api/aquarius/assets/query',
    { query: searchQuery(optionsOf(query)), size: 0, aggs },
    signal,
  )
  const facets = (name: string) => bucketsOf(answer.aggregations?.[name]?.buckets)
  return { types: facets('types'), tags: facets('tags') }
}

function bucketsOf(buckets: unknown): Facet[] {
  return (Array.isArray(buckets) ? buckets : []).flatMap(({ key, doc_count }: Record<string, unknown>) =>
    typeof key === 'string' && key.length <= 60 && typeof doc_count === 'number'
      ? [{ value: key, count: doc_count }]
      : [],
  )
}
