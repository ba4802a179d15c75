import { reading } from './context.js'

/** Types and tags of the catalogue, with the number of assets of each. */
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

/** Asks the index for types and tags. */
export async function facetsNow(signal: AbortSignal): Promise<Facets> {
  const terms = (field: string, size: number) => ({ terms: { field, size } })
  const aggs = { types: terms('metadata.type.keyword', TYPES), tags: terms('metadata.tags.keyword', TAGS) }
  const answer = await reading().api.post<{ aggregations?: Record<string, { buckets?: unknown }> }>(
    '/api/aquarius/assets/query',
    { size: 0, aggs },
    signal,
  )
  return { types: bucketsOf(answer.aggregations?.types?.buckets), tags: bucketsOf(answer.aggregations?.tags?.buckets) }
}

function bucketsOf(buckets: unknown): Facet[] {
  return (Array.isArray(buckets) ? buckets : []).flatMap(({ key, doc_count }: Record<string, unknown>) =>
    typeof key === 'string' && key.length <= 60 && typeof doc_count === 'number'
      ? [{ value: key, count: doc_count }]
      : [],
  )
}
