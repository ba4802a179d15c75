import type { Script, Value } from '@tidegate/database'
import type { Sort } from '../syntax.js'
import { ask, counted, page } from './page.js'
import type { Plan } from './plan.js'
import { pathNumber, TITLES } from './tokens.js'

/** Returns SQL for rows of a field that are texts. The path is part of the text: a database uses a partial index only for a constant. */
export const textsAt = (path: string): string => `path = ${pathNumber(path)} AND num IS NULL`

/** Whether an index has the order of a field: front ends sort by names. */
export const isName = (path: string): boolean => TITLES.has(path)

/**
 * Returns the DIDs of a page of many hits, sorted by name, in the order of an index. Undefined if all keys must be read: if more than
 * `few` names are numbers or times, which come first, or if the page has assets without a name.
 */
export function* byName(plan: Plan, sort: Sort, few: number): Script<string[] | undefined> {
  const { search, score } = plan
  const isHit = plan.check?.('v.doc')
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
      text: `SELECT v.doc AS id FROM (${numbers.text}) AS v WHERE ${isHit.text}`,
      values: [...numbers.values, ...isHit.values],
    }
    const first = yield* page({ ...search, from: 0, size: most }, hits, score, undefined, { isFew: true })
    dids.push(...first.hits.map(({ did }) => did))
  }
  if (dids.length < most) dids.push(...(yield* texts(sort, isHit, most - dids.length)))
  return dids.length < most ? undefined : dids.slice(search.from)
}

/** Returns the first hits with a text as name. */
function* texts({ path, descending }: Sort, isHit: { text: string; values: Value[] }, most: number): Script<string[]> {
  const direction = descending ? 'DESC' : 'ASC'
  // of several values the first in the order counts, and a number before all texts
  const first = `SELECT o.n FROM search_value o WHERE o.doc = v.doc AND o.path = v.path
    ORDER BY CASE WHEN o.num IS NULL THEN 1 ELSE 0 END, o.txt ${direction}, o.n LIMIT 1`
  // IS TRUE: PostgreSQL makes a join of the condition otherwise, then sorts
  const text = `SELECT d.did FROM (
      SELECT v.doc, v.txt FROM search_value v WHERE ${textsAt(path)} AND v.n = (${first}) AND (${isHit.text}) IS TRUE
      ORDER BY v.txt ${direction}, v.doc DESC LIMIT ?
    ) AS p JOIN search_document d ON d.id = p.doc ORDER BY p.txt ${direction}, p.doc DESC`
  return (yield* ask(text, [...isHit.values, most])).rows.map(({ did }) => did as string)
}
