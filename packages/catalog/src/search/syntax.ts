import type { IndexedAsset } from '@tidegate/protocol'

/** A field to search, and the weight of a match. */
export interface Field {
  path: string
  weight: number
}

/** Consecutive words, of which the last may be a prefix. */
export interface Phrase {
  words: string[]
  prefix: boolean
}

/** A parsed clause of a query. A match adds `boost` times the weight of the field to the score. */
export type Clause = { boost: number } & (
  | { kind: 'all' }
  | { kind: 'none' }
  /** A phrase in any of some fields. The matching field with the greatest weight decides the score. */
  | { kind: 'text'; fields: Field[]; phrase: Phrase }
  /** Any of some whole values, exactly or ignoring case. */
  | { kind: 'values'; path: string; values: string[]; exact: boolean }
  /** Any of some documents, by DID. */
  | { kind: 'ids'; dids: string[] }
  | { kind: 'exists'; path: string }
  | { kind: 'range'; path: string; above: Limit | undefined; below: Limit | undefined }
  | { kind: 'bool'; must: Clause[]; filter: Clause[]; should: Clause[]; not: Clause[]; least: number }
)

export interface Limit {
  value: number
  inclusive: boolean
}

/** A sort key: `_score` or a field. */
export interface Sort {
  path: string
  descending: boolean
  /** The position of hits without a value. */
  missing: 'first' | 'last'
}

export type Aggregation =
  | { kind: 'sum'; path: string }
  | {
      kind: 'terms'
      path: string
      size: number
      order: { by: string; descending: boolean }
      inside: Record<string, Aggregation>
    }

/** The parts of a document to return. */
export interface SourceFilter {
  includes: string[]
  excludes: string[]
}

/** A search, parsed from a request. */
export interface Search {
  query: Clause
  from: number
  size: number
  /** Empty if the score alone decides. */
  sort: Sort[]
  source: SourceFilter | undefined
  /** Maximum hits to count; undefined: none. */
  countUpTo: number | undefined
  aggregations: Record<string, Aggregation>
  /** Maximum hits to aggregate, the newest ones. */
  aggregateUpTo: number
}

/** Whether a search has aggregations. */
export const hasAggregations = ({ aggregations }: Search): boolean => Object.keys(aggregations).length > 0

export interface Scope {
  /** Chains whose index is current. */
  chains: number[]
  /** Whether to find documents that are encrypted on the chain. */
  encrypted: boolean
  /** DIDs of the assets in purgatory. */
  purgatory: string[]
}

export interface SearchResult {
  /** Whether the search index is being rebuilt, after the state was copied or restored. Then there are no results. */
  building: boolean
  /** Undefined if hits were not counted. */
  total: { value: number; relation: 'eq' | 'gte' } | undefined
  hits: { did: string; score: number | null }[]
  /** The assets of the hits by DID, from the same snapshot; empty if no documents were requested. */
  assets: Map<string, IndexedAsset>
  maxScore: number | null
  aggregations: Record<string, Aggregated>
}

/** A value of a field, its number of documents, and their nested aggregations by name. */
export interface Bucket {
  key: string | number
  doc_count: number
  [name: string]: unknown
}

/** The result of an aggregation, in Elasticsearch's format. `doc_count_error_upper_bound`: -1 if not all hits are aggregated. */
export type Aggregated =
  | { value: number }
  | { doc_count_error_upper_bound: 0 | -1; sum_other_doc_count: number; buckets: Bucket[] }
