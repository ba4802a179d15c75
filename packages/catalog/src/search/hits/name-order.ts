import type { Script } from '@tidegate/database'
import { pathNumber, TITLES } from '../conditions/tokens.js'
import type { Plan } from '../plan/plan.js'
import type { Sort } from '../syntax.js'
import { inOrder, type Ordered } from './order-walk.js'
import { byKeys, counted } from './page.js'

/** Returns SQL for rows of a field that are texts. The path is part of the text: a database uses a partial index only for a constant. */
export const textsAt = (path: string): string => `path = ${pathNumber(path)} AND num IS NULL`

/** Whether an index has the order of a field: front ends sort by names. */
export const isName = (path: string): boolean => TITLES.has(path)

/**
 * Returns the DIDs of a page of many hits, sorted by name, in the order of an index. Undefined if all keys must be read: if hits are rare or
 * have no `check`, if the page has assets without a name or these come first, or if more than `few` names are numbers or times, which come
 * before texts. `steps`: see `inOrder`.
 */
export function* byName(plan: Plan, sort: Sort, few: number, steps: number): Script<string[] | undefined> {
  const { search } = plan
  const isHit = plan.check?.('w.doc')
  if (!isHit || sort.missing === 'first') return undefined
  const most = search.from + search.size
  const numbers = {
    text: 'SELECT DISTINCT doc FROM search_value WHERE path = ? AND num IS NOT NULL',
    values: [pathNumber(sort.path)],
  }
  const n = yield* counted(numbers, few)
  if (n > few) return undefined
  const dids: string[] = []
  if (n > 0) {
    const hits = {
      text: `SELECT w.doc AS id FROM (${numbers.text}) AS w WHERE ${isHit.text}`,
      values: [...numbers.values, ...isHit.values],
    }
    dids.push(...(yield* byKeys(plan, hits, most)))
  }
  if (dids.length < most) {
    const isFirst = { text: `${countsOf(sort)} AND ${isHit.text}`, values: isHit.values }
    dids.push(...(yield* inOrder(plan.dialect, textsIn(sort), isFirst, most - dids.length, steps)))
  }
  return dids.length < most ? undefined : dids.slice(search.from)
}

/** The rows of a field that are texts. */
function textsIn({ path, descending }: Sort): Ordered {
  const order = (row: string) => `${row}.txt${descending ? ' DESC' : ''}, ${row}.doc DESC`
  return { where: textsAt(path), values: [], columns: ['txt'], order }
}

/** SQL for whether the row `w` counts for its document: of several values the first in the order, and a number before all texts. */
const countsOf = (sort: Sort) => `w.n = (SELECT o.n FROM search_value o WHERE o.doc = w.doc AND o.path = w.path
  ORDER BY CASE WHEN o.num IS NULL THEN 1 ELSE 0 END, o.txt${sort.descending ? ' DESC' : ''}, o.n LIMIT 1)`
