import { type Query, type Result, run, type Script } from '@tidegate/database'
import { ValidationError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Condition, Part } from '../conditions/condition.js'
import { IS_FIRST_PRICE } from '../conditions/price-conditions.js'
import type { Score } from '../conditions/scores.js'
import { pathNumber } from '../conditions/tokens.js'
import { ORDERS } from '../documents/document.js'
import { isPrice, PRICES } from '../prices.js'
import type { Search, Sort } from '../syntax.js'

const LIMITS = CATALOG_LIMITS.search

/** Runs a statement. Throws ValidationError if it is too long. `isFixed`: see Query. */
export function* ask(text: string, values: Query['values'], isFixed = false): Script<Result> {
  if (isTooLong(text, values))
    throw ValidationError.of('query', 'It has too many values, or too many parts that count for the score.')
  return yield* run({ text, values, isFixed })
}

/** Whether a statement is too long for a database. */
function isTooLong(text: string, values: Query['values']): boolean {
  let size = text.length
  for (const value of values) if (typeof value === 'string') size += value.length
  return size > LIMITS.statement
}

/** How to read a page in the order of ids. SQLite uses `most`, PostgreSQL `isFew`. */
export interface Count {
  /** Counts the documents, up to one more than this. */
  most?: number | undefined
  /** Whether there are so few hits that sorting them is faster for PostgreSQL than reading documents in order. */
  isFew?: boolean | undefined
}

/** Hits of a page. `n`: counted documents. */
export interface Hits {
  n?: number | undefined
  hits: { did: string; score: number }[]
}

/** Returns a statement that counts documents as `n`, up to one more than `most`. */
const countOf = ({ text, values, isFixed = false }: Part, most: number) => ({
  text: `SELECT count(*) AS n FROM (SELECT 1 FROM (${text}) AS m LIMIT ?) AS counted`,
  values: [...values, most + 1],
  isFixed,
})

/** Counts documents, up to one more than `most`. */
export function* counted(documents: Part, most: number): Script<number> {
  const { text, values, isFixed } = countOf(documents, most)
  return (yield* ask(text, values, isFixed)).rows[0]?.n as number
}

/** Whether the hits of a page are in the order of ids. */
export function isByDate({ sort }: Search, scored: Part | undefined): boolean {
  return !scored && sort.every(({ path, descending }) => path === 'nft.created' && descending)
}

/** Returns the hits of a page. Ids are in the order of deployment. */
export function* page(search: Search, all: Part, score: Score, scored: Part | undefined, count: Count): Script<Hits> {
  const { from, size, sort } = search
  const keys = isByDate(search, scored) || sort.length === 0 ? [] : sort.map((one, at) => keyOf(one, at))
  const columns = keys.flatMap(({ columns }) => columns)
  if (columns.length === 0 && !scored) {
    const { n, dids } = yield* newest(all, size, from, count)
    return { n, hits: dids.map((did) => ({ did, score: score.constant })) }
  }
  const source = scored ?? { text: `SELECT id, 0 AS score FROM (${all.text}) AS m`, values: all.values }
  const order = keys.length > 0 ? keys.map(({ order }) => order) : ['score DESC']
  const names = ['id', 'score', ...keys.flatMap(({ names }) => names)].join(', ')
  const by = [...order, 'id DESC'].join(', ')
  const text = `SELECT d.did, p.score FROM (
      SELECT ${names} FROM (
        SELECT id, score${columns.map((column) => `, ${column}`).join('')} FROM (${source.text}) AS found
      ) AS keyed ORDER BY ${by} LIMIT ? OFFSET ?
    ) AS p JOIN search_document d ON d.id = p.id ORDER BY ${by.replace(/\bid DESC$/, 'p.id DESC')}`
  const { rows } = yield* ask(text, [...keys.flatMap(({ values }) => values), ...source.values, size, from])
  const hits = (rows as { did: string; score: number }[]).map((row) => ({
    did: row.did,
    score: row.score + score.constant,
  }))
  return { hits }
}

/**
 * Maximum parts of a score for a look-up per possible score: each part doubles these. Two words in fields of two weights are
 * four parts, so all of their hits are scored.
 */
const IN_TURN = 3

/** Returns the hits of a page by a look-up per possible score, the greatest first, so that later hits are never read. */
export function* pageInTurn(
  { from, size }: Search,
  scores: [score: number, condition: Condition][],
  of: (part: Condition) => Part,
  isFew?: boolean,
): Script<Hits> {
  const hits: Hits['hits'] = []
  for (const [score, condition] of scores) {
    const { dids } = yield* newest(of(condition), from + size - hits.length, 0, { isFew })
    hits.push(...dids.map((did) => ({ did, score })))
    if (hits.length >= from + size) break
  }
  return { hits: hits.slice(from) }
}

/** Returns the possible scores, the greatest first, with the conditions of their hits. Undefined if there are too many. */
export function bySum({ constant, parts }: Score): [score: number, condition: Condition][] | undefined {
  if (parts.length > IN_TURN) return undefined
  let sums: [score: number, met: Condition[]][] = [[constant, []]]
  for (const { condition, points } of parts)
    sums = sums.flatMap(([score, met]) => [
      [score, [...met, { op: 'not', of: condition }]],
      [score + points, [...met, condition]],
    ])
  const byScore = new Map<number, Condition[]>()
  for (const [score, of] of sums) byScore.set(score, [...(byScore.get(score) ?? []), { op: 'and', of }])
  return [...byScore].sort(([a], [b]) => b - a).map(([score, of]) => [score, { op: 'or', of }])
}

/**
 * Returns the newest of some documents. If there are many, PostgreSQL scans documents in index order and reads the tokens of each. The
 * full-text index of SQLite is in order. `most`: counts the documents as well, up to one more.
 */
export function* newest(
  documents: Part,
  size: number,
  from: number,
  { most = -1, isFew = false }: Count,
): Script<{ n: number; dids: string[] }> {
  const order = `ORDER BY ${isFew ? 'id + 0' : 'id'} DESC`
  if (most < from + size) {
    const text = `SELECT d.id, d.did FROM (
        SELECT id FROM (${documents.text}) AS m ${order} LIMIT ? OFFSET ?
      ) AS p JOIN search_document d ON d.id = p.id ORDER BY d.id DESC`
    const { rows } = yield* ask(text, [...documents.values, size, from])
    const dids = rows.map(({ did }) => did as string)
    // a full page says nothing of the rest
    const isCounted = most < 0 || (dids.length > 0 && dids.length < size)
    return { n: isCounted ? from + dids.length : yield* counted(documents, most), dids }
  }
  const text = `WITH hits AS MATERIALIZED (SELECT id FROM (${documents.text}) AS m ${order} LIMIT ?)
    SELECT (SELECT count(*) FROM hits) AS n, d.did FROM (SELECT 1) AS one
      LEFT JOIN (SELECT id FROM hits ORDER BY id DESC LIMIT ? OFFSET ?) AS p ON true
      LEFT JOIN search_document d ON d.id = p.id ORDER BY p.id DESC`
  const { rows } = yield* ask(text, [...documents.values, most + 1, size, from])
  return { n: rows[0]?.n as number, dids: rows.flatMap(({ did }) => (did === null ? [] : [did as string])) }
}

const ROW = `FROM search_value v WHERE v.doc = found.id AND v.${IS_FIRST_PRICE} AND v.n = 0`

/**
 * Returns the sort key of a price: that of the first offer. Prices of different tokens cannot be compared, so assets are grouped by
 * token. Free assets are first, or last in descending order.
 */
function priceKeyOf({ descending, missing }: Sort, at: number) {
  const direction = descending ? 'DESC' : 'ASC'
  const of = (column: string) => `(SELECT v.${column} ${ROW})`
  const [n, t] = [`n${at}`, `t${at}`]
  return {
    names: [n, t],
    columns: [`${of('num')} AS ${n}`, `${of('txt')} AS ${t}`],
    values: [],
    order: [
      `CASE WHEN ${n} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END`,
      `CASE WHEN ${t} IS NULL THEN 0 ELSE 1 END ${direction}`,
      `${t} ASC`,
      `${n} ${direction}`,
    ].join(', '),
  }
}

/** Returns the columns of a sort key and their order: numbers and times before texts. */
function keyOf(sort: Sort, at: number) {
  const { path, descending, missing } = sort
  if (isPrice(path)) return priceKeyOf(sort, at)
  const direction = descending ? 'DESC' : 'ASC'
  if (path === PRICES.token) {
    const t = `t${at}`
    const order = `CASE WHEN ${t} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END, ${t} ${direction}`
    return { names: [t], columns: [`(SELECT v.txt ${ROW}) AS ${t}`], values: [], order }
  }
  if (path === '_score') return { names: [], columns: [], values: [], order: `score ${direction}` }
  const isNumber = path === ORDERS
  // of several values, the first in the order counts
  const pick = descending ? 'max' : 'min'
  const of = (column: string) =>
    `(SELECT ${pick}(${column}) FROM search_value v WHERE v.doc = found.id AND v.path = ?${column === 'txt' ? ' AND v.num IS NULL' : ''})`
  const [n, t] = [`n${at}`, `t${at}`]
  return {
    names: [n, t],
    columns: [`${of('num')} AS ${n}`, `${isNumber ? 'NULL' : of('txt')} AS ${t}`],
    values: isNumber ? [pathNumber(path)] : [pathNumber(path), pathNumber(path)],
    order: [
      `CASE WHEN ${n} IS NULL AND ${t} IS NULL THEN ${missing === 'first' ? 0 : 2} ELSE 1 END`,
      `CASE WHEN ${n} IS NULL THEN 1 ELSE 0 END`,
      `${n} ${direction}`,
      // texts beside a number do not count: databases place NULL differently
      `CASE WHEN ${n} IS NULL THEN ${t} END ${direction}`,
    ].join(', '),
  }
}
