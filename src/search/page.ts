import { BOUNDS } from '../bounds.js'
import { ValidationError } from '../errors.js'
import type { Dialect } from '../state/dialect.js'
import { run } from '../state/script.js'
import type { Query, Result, Script } from '../state/sql.js'
import type { Part } from './compile.js'
import type { Condition } from './conditions.js'
import type { Score } from './scores.js'
import type { Search, Sort } from './syntax.js'
import { pathNumber } from './tokens.js'

const LIMITS = BOUNDS.search

/** Runs a statement, unless it is too long for a database. For `isFixed` see `Query`. */
export function* ask(text: string, values: Query['values'], isFixed = false): Script<Result> {
  let size = text.length
  for (const value of values) if (typeof value === 'string') size += value.length
  if (size > LIMITS.statement)
    throw ValidationError.of('query', 'It has too many values, or too many parts that count for the score.')
  return yield* run({ text, values, isFixed })
}

/** The number of hits, up to the limit, where it is known, and the database dialect. */
export interface Counted {
  count: number | undefined
  dialect: Dialect
}

/** Whether the hits of a page are in the order of their ids. */
export function isByDate({ sort }: Search, scored: Part | undefined): boolean {
  return !scored && sort.every(({ path, descending }) => path === 'nft.created' && descending)
}

/** The hits of a page. Ids are in the order in which NFTs were deployed. */
export function* page(search: Search, all: Part, score: Score, scored: Part | undefined, { count, dialect }: Counted) {
  const { from, size, sort } = search
  const source = scored ?? { text: `SELECT id, 0 AS score FROM (${all.text}) AS m`, values: all.values }
  const keys = isByDate(search, scored) || sort.length === 0 ? [] : sort.map((one, at) => keyOf(one, at))
  const order = keys.length > 0 ? keys.map(({ order }) => order) : scored ? ['score DESC'] : []
  const columns = keys.flatMap(({ columns }) => columns)
  const text = `SELECT d.did, p.score FROM (
      SELECT id, score${columns.map((column) => `, ${column}`).join('')} FROM (${source.text}) AS found
    ) AS p JOIN search_document d ON d.id = p.id ORDER BY ${[...order, 'p.id DESC'].join(', ')} LIMIT ? OFFSET ?`
  const { rows } =
    columns.length === 0 && !scored
      ? yield* ask(newest(all.text, count, dialect), [...all.values, size, from])
      : yield* ask(text, [...keys.flatMap(({ values }) => values), ...source.values, size, from])
  return (rows as { did: string; score: number }[]).map((row) => ({ did: row.did, score: row.score + score.constant }))
}

/** Maximum parts of a score for a look-up by each possible sum, the number of which doubles with each part. */
export const IN_TURN = 3

/**
 * The hits of a page by the possible sums of their scores, the greatest first, each in the order of the full-text
 * index, so that the last of many hits are never read.
 */
export function* pageInTurn(
  { from, size }: Search,
  score: Score,
  of: (part: Condition) => Part,
  { count, dialect }: Counted,
) {
  const hits: { did: string; score: number }[] = []
  for (const [points, condition] of bySum(score)) {
    const { text, values } = of(condition)
    const { rows } = yield* ask(newest(text, count, dialect), [...values, from + size - hits.length, 0])
    hits.push(...rows.map(({ did }) => ({ did: did as string, score: points })))
    if (hits.length >= from + size) break
  }
  return hits.slice(from)
}

/** The possible scores, the greatest first, with the condition of the hits that have each. */
export function bySum({ constant, parts }: Score): [score: number, condition: Condition][] {
  const sums = new Map<number, Condition[]>()
  for (let chosen = 0; chosen < 2 ** parts.length; chosen++) {
    let sum = constant
    const met = parts.map(({ condition, points }, at): Condition => {
      const isMet = ((chosen >> at) & 1) === 1
      if (isMet) sum += points
      return isMet ? condition : { op: 'not', of: condition }
    })
    sums.set(sum, [...(sums.get(sum) ?? []), { op: 'and', of: met }])
  }
  return [...sums].sort(([a], [b]) => b - a).map(([sum, of]) => [sum, { op: 'or', of }])
}

/**
 * Up to this many hits are sorted directly in PostgreSQL: scanning all documents until enough hits are met takes longer,
 * since it would read the tokens of each document on the way. The full-text index of SQLite yields them in order.
 */
const FEW = { sqlite: -1, postgres: LIMITS.counted }

/** The newest of some documents; if there are many, by a scan in index order, without reading all others. */
function newest(documents: string, count: number | undefined, dialect: Dialect): string {
  return `SELECT d.did, 0 AS score FROM (
      SELECT id FROM (${documents}) AS m ORDER BY ${count !== undefined && count <= FEW[dialect] ? 'id + 0' : 'id'} DESC LIMIT ? OFFSET ?
    ) AS p JOIN search_document d ON d.id = p.id ORDER BY p.id DESC`
}

/** The columns of a sort, and their order: numbers and times before texts. */
function keyOf({ path, descending, missing }: Sort, at: number) {
  const direction = descending ? 'DESC' : 'ASC'
  if (path === '_score') return { columns: [], values: [], order: `score ${direction}` }
  // of several values, the one that sorts first
  const pick = descending ? 'max' : 'min'
  const of = (column: string) =>
    `(SELECT ${pick}(${column}) FROM search_value v WHERE v.doc = found.id AND v.path = ?${column === 'txt' ? ' AND v.num IS NULL' : ''})`
  const [n, t] = [`n${at}`, `t${at}`]
  return {
    columns: [`${of('num')} AS ${n}`, `${of('txt')} AS ${t}`],
    values: [pathNumber(path), pathNumber(path)],
    order: [
      `CASE WHEN ${n} IS NULL AND ${t} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END`,
      `CASE WHEN ${n} IS NULL THEN 1 ELSE 0 END`,
      `${n} ${direction}`,
      `${t} ${direction}`,
    ].join(', '),
  }
}
