import type { Script, Value } from '@tidegate/database'
import type { Part } from './compile.js'
import { ask, page } from './page.js'
import type { Plan } from './plan.js'

/** Documents that are looked up one by one: at least, and more for each hit. */
export const STEPS = { least: 2048, perHit: 2 }

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
 * is one of a hit. `least`: documents to look up one by one.
 */
export function* inOrder(
  dialect: Plan['dialect'],
  rows: Ordered,
  isHit: Part,
  most: number,
  least: number,
): Script<string[]> {
  // SQLite keeps the order of the inner statement. With a second ORDER BY it would look up all documents, then sort
  const again = dialect === 'postgres' ? ` ORDER BY ${rows.order('w')}` : ''
  const keys = rows.columns.map((column) => `w.${column}`).join(', ')
  const text = `SELECT w.doc, ${keys} FROM (${rowsIn(rows)} LIMIT ?) AS w WHERE ${isHit.text}${again}`
  return yield* didsIn(text, [...rows.values, least + STEPS.perHit * most, ...isHit.values], rows, most)
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

/** Returns the first of few hits, for which all keys are read. */
export function* byKeys({ search, score }: Plan, hits: Part, size: number): Script<string[]> {
  const found = yield* page({ ...search, from: 0, size }, hits, score, undefined, { isFew: true })
  return found.hits.map(({ did }) => did)
}
