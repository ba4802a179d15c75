import type { Value } from '@tidegate/database'

/** A part of a statement, with `?` for each value. */
export interface Part {
  text: string
  values: Value[]
  /** Whether the text is independent of the search: a look-up in the full-text index alone. PostgreSQL keeps its plan. */
  isFixed?: boolean
}

/**
 * SQL on the row of a first price, that of an asset's first offer: `txt` is the address of its token, NULL if free, and `num` the
 * amount. `hasToken`: whether it excludes free assets.
 */
export interface PriceCondition {
  text: string
  values: Value[]
  hasToken: boolean
}

/** A condition on documents. The full-text index alone answers `token`, `words`, and their combinations. */
export type Condition =
  /** Documents with a term of the full-text index (tokens.ts). */
  | { op: 'token'; token: string }
  /** Consecutive words in a field or in any field. The last word may be a prefix. */
  | { op: 'words'; path: string; words: string[]; prefix: boolean }
  /** Without parts: every document. */
  | { op: 'and'; of: Condition[] }
  /** Without parts: no document. */
  | { op: 'or'; of: Condition[] }
  | { op: 'not'; of: Condition }
  /** Documents that meet at least `count` of these. The full-text index alone cannot answer it. */
  | { op: 'least'; count: number; of: Condition[] }
  /** Documents in the list of a statement, which returns each `id` once. `price`: the list of a condition on first prices. */
  | { op: 'listed'; text: string; values: Value[]; price?: PriceCondition }

/** The condition that no document meets. */
export const NO_DOCUMENT: Condition = { op: 'or', of: [] }
