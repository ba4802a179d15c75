import { searchQuery } from '@tidegate/client'
import { CONSOLE_LIMITS } from '../limits.js'
import { type CatalogueQuery, optionsOf } from './catalogue-query.js'
import { reading } from './context.js'

/** Filters of which one value is chosen. */
const CHOICES = {
  type: 'metadata.type.keyword',
  license: 'metadata.license.keyword',
  format: 'services.additionalInformation.release.formats.keyword',
} as const
type Choice = keyof typeof CHOICES

/** Values of the matches of a search, with the number of matches of each. */
export type Facets = Record<Choice | 'tags', Facet[]>

export interface Facet {
  value: string
  /** 0 if it is not known. */
  count: number
}

const TAGS = 24
const VALUES = 12

interface Answer {
  aggregations?: Record<string, { buckets?: unknown; doc_count_error_upper_bound?: unknown }>
}

/**
 * Asks the index for the values of the matches. Those of a filter of one value are of the matches without it, to choose
 * another one.
 */
export async function facetsOf(query: CatalogueQuery, signal: AbortSignal): Promise<Facets> {
  const chosen = (Object.keys(CHOICES) as Choice[]).filter((one) => query[one] !== '')
  const [own, ...others] = await Promise.all([
    aggregated(query, signal),
    ...chosen.map(async (one) => [one, (await aggregated({ ...query, [one]: '' }, signal))[one]] as const),
  ])
  return { ...own, ...Object.fromEntries(others) }
}

async function aggregated(query: CatalogueQuery, signal: AbortSignal): Promise<Facets> {
  const terms = (field: string, size: number) => ({ terms: { field, size } })
  const aggs = {
    tags: terms('metadata.tags.keyword', TAGS),
    ...Object.fromEntries(Object.entries(CHOICES).map(([name, field]) => [name, terms(field, VALUES)])),
  }
  const answer = await reading().api.post<Answer>(
    '/api/aquarius/assets/query',
    { query: searchQuery(optionsOf(query)), size: 0, aggs, terminate_after: CONSOLE_LIMITS.catalogue.facets },
    signal,
  )
  const named = ['tags', ...Object.keys(CHOICES)].map((name) => [name, facetsIn(answer, name)])
  return Object.fromEntries(named)
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
