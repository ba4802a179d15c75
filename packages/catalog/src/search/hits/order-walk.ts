import type { Script, Value } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Part } from '../conditions/condition.js'
import type { Plan } from '../plan/plan.js'
import { ask } from './page.js'

/** Documents that are looked up one by one. */
export const STEPS: { readonly least: number; readonly perHit: number } = CATALOG_LIMITS.search.steps

/** Rows of search_value `v` that an index has in an order. */
export interface Ordered {
  /** SQL for these rows. */
  where: string
  values: Value[]
  /** Columns that `order` reads beside `doc`. */
  columns: readonly ('txt' | 'num')[]
  /** SQL for the order of the rows of an alias. */
  order(row: string): string
}

/**
 * Returns the DIDs of the first hits in the order of rows: at most `most`, and fewer if they are rare. `isHit`: SQL for whether the row `w`
 * is one of a hit. `steps`: documents to look up one by one, beside `STEPS.perHit` for each hit.
 */
export function* inOrder(
  dialect: Plan['dialect'],
  rows: Ordered,
  isHit: Part,
  most: number,
  steps: number,
): Script<string[]> {
  // SQLite keeps the order of the inner statement. With a second ORDER BY it would look up all documents, then sort
  const again = dialect === 'postgres' ? ` ORDER BY ${rows.order('w')}` : ''
  const keys = rows.columns.map((column) => `w.${column}`).join(', ')
  const text = `SELECT w.doc, ${keys} FROM (${rowsIn(rows)} LIMIT ?) AS w WHERE ${isHit.text}${again}`
  return yield* didsIn(text, [...rows.values, steps + STEPS.perHit * most, ...isHit.values], rows, most)
}

/** Returns SQL that lists rows in their order, which meet another condition on `v`. */
export function rowsIn({ where, columns, order }: Ordered, also = ''): string {
  const keys = columns.map((column) => `v.${column}`).join(', ')
  return `SELECT v.doc, v.path, v.n, ${keys} FROM search_value v WHERE ${where}${also} ORDER BY ${order('v')}`
}

/** Returns the DIDs of the first documents of a statement in the order of rows. */
export function* didsIn(text: string, values: Value[], { order }: Ordered, most: number): Script<string[]> {
  const joined = `SELECT d.did FROM (${text} LIMIT ?) AS p JOIN search_document d ON d.id = p.doc ORDER BY ${order('p')}`
  return (yield* ask(joined, [...values, most])).rows.map(({ did }) => did as string)
}
