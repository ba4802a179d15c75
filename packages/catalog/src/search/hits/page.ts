import { type Query, type Result, run, type Script } from '@tidegate/database'
import { ValidationError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Condition, Part } from '../conditions/condition.js'
import type { Score } from '../conditions/scores.js'
import type { Plan } from '../plan/plan.js'
import type { Search } from '../syntax.js'
import { sortKeyOf } from './sort-keys.js'

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
export interface PageHints {
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
export function* page(
  search: Search,
  all: Part,
  score: Score,
  scored: Part | undefined,
  hints: PageHints,
): Script<Hits> {
  const { from, size, sort } = search
  const keys = isByDate(search, scored) ? [] : sort.map(sortKeyOf)
  const columns = keys.flatMap(({ columns }) => columns)
  if (columns.length === 0 && !scored) {
    const { n, dids } = yield* newest(all, size, from, hints)
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

/** Returns the first of few hits, for which all keys are read. */
export function* byKeys({ search, score }: Plan, hits: Part, size: number): Script<string[]> {
  const found = yield* page({ ...search, from: 0, size }, hits, score, undefined, {})
  return found.hits.map(({ did }) => did)
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
  of: (also: Condition) => Part,
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
 * full-text index of SQLite is in order. `most`: counts the documents as `n`, up to one more.
 */
export function* newest(
  documents: Part,
  size: number,
  from: number,
  { most, isFew = false }: PageHints,
): Script<{ n: number | undefined; dids: string[] }> {
  const order = `ORDER BY ${isFew ? 'id + 0' : 'id'} DESC`
  if (most === undefined || most < from + size) {
    const text = `SELECT d.did FROM (
        SELECT id FROM (${documents.text}) AS m ${order} LIMIT ? OFFSET ?
      ) AS p JOIN search_document d ON d.id = p.id ORDER BY d.id DESC`
    const { rows } = yield* ask(text, [...documents.values, size, from])
    const dids = rows.map(({ did }) => did as string)
    if (most === undefined) return { n: undefined, dids }
    // a full page says nothing of the rest
    const isCounted = dids.length > 0 && dids.length < size
    return { n: isCounted ? from + dids.length : yield* counted(documents, most), dids }
  }
  const text = `WITH hits AS MATERIALIZED (SELECT id FROM (${documents.text}) AS m ${order} LIMIT ?)
    SELECT (SELECT count(*) FROM hits) AS n, d.did FROM (SELECT 1) AS one
      LEFT JOIN (SELECT id FROM hits ORDER BY id DESC LIMIT ? OFFSET ?) AS p ON true
      LEFT JOIN search_document d ON d.id = p.id ORDER BY p.id DESC`
  const { rows } = yield* ask(text, [...documents.values, most + 1, size, from])
  return { n: rows[0]?.n as number, dids: rows.flatMap(({ did }) => (did === null ? [] : [did as string])) }
}
