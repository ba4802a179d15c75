import { type Dialect, type Query, type Result, run, type Script } from '@tidegate/database'
import { charactersOf, type IndexedAsset } from '@tidegate/protocol'
import { assetsOf } from '../../index/tables/assets.js'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Condition, Part } from '../conditions/condition.js'
import { hasPrefix } from '../conditions/conjunctions.js'
import { generationsIn, isBuilding, STATE } from '../conditions/generations.js'
import { reportedScore, type Score } from '../conditions/scores.js'
import { ask, bySum, counted, type Hits, isByDate, type PageHints, page, pageInTurn } from '../hits/page.js'
import { sorted } from '../hits/sorted.js'
import { type Plan, planOf } from '../plan/plan.js'
import { isPrice } from '../prices.js'
import { hasAggregations, type Scope, type Search, type SearchResult } from '../syntax.js'
import { aggregated } from './aggregate.js'

const LIMITS = CATALOG_LIMITS.search

/** Assets per statement. */
const AT_ONCE = 50

/** The result while the search index is being built. */
const building = ({ countUpTo }: Search): SearchResult => ({
  building: true,
  total: totalOf(0, countUpTo),
  hits: [],
  assets: new Map(),
  maxScore: null,
  aggregations: {},
})

/** A result, and its index state (see generations.ts). */
export interface ResultOfState {
  state: string | null
  found: SearchResult
}

/** Assets of one index state, by DID. */
export interface KnownAssets {
  get(did: string): IndexedAsset | undefined
  set(did: string, asset: IndexedAsset): void
}

/** Returns the statement that reads the index state. */
export const stateQuery = (dialect: Dialect): Query => ({
  text: `SELECT ${STATE[dialect]} AS state`,
  values: [],
  isBrief: true,
  isFixed: true,
})

export const stateIn = ({ rows }: Result) => (rows[0]?.state ?? null) as string | null

/**
 * Finds documents by statements of one snapshot. `knownIn` returns the known assets of a state, which are not read again. Throws
 * ValidationError if it is too expensive.
 */
export function* find(
  search: Search,
  scope: Scope,
  dialect: Dialect,
  knownIn: (state: string | null) => KnownAssets = () => new Map(),
): Script<ResultOfState> {
  const state = stateIn(yield* run(stateQuery(dialect)))
  const generations = generationsIn(state)
  if (isBuilding(generations)) return { state, found: building(search) }
  const plan = yield* cheaperPlan((pricesOfEach) => planOf(search, scope, dialect, generations, pricesOfEach))
  return { state, found: yield* findBy(plan, knownIn(state)) }
}

/** Returns the plan with `pricesOfEach` if few documents meet the rest, else the one without. */
function* cheaperPlan(planBy: (pricesOfEach: boolean) => Plan): Script<Plan> {
  const plan = planBy(false)
  if (!plan.listRest) return plan
  return (yield* counted(plan.listRest, LIMITS.counted)) > LIMITS.counted ? plan : planBy(true)
}

function* findBy(plan: Plan, known: KnownAssets): Script<SearchResult> {
  const { search, dialect, all, of, score, isScored } = plan
  const scored = score.parts.length > 0 ? scoredBy(score, all, of) : undefined
  // without a page, the hits are counted when they are listed for aggregations
  const isCountedLater = search.size === 0 && hasAggregations(search) && (search.countUpTo ?? 0) <= search.aggregateUpTo
  const { n, hits } = isCountedLater ? NO_HITS : yield* pageAndCount(plan, scored)
  const [first] = hits
  const dids = hits.map(({ did }) => did)
  const assets = search.source ? yield* assetsOfPage(dids, known, dialect) : new Map()
  const isGreatestAsked = search.sort.length > 0 || search.from > 0
  const maxScore =
    isScored && first ? reportedScore(isGreatestAsked ? yield* greatest(score, scored) : first.score) : null
  const { aggregations, hitCount = n } = yield* aggregated(search, all, dialect)
  return {
    building: false,
    total: totalOf(isCountedLater ? hitCount : n, search.countUpTo),
    hits: hits.map(({ did, score }) => ({ did, score: isScored ? reportedScore(score) : null })),
    assets,
    maxScore,
    aggregations,
  }
}

const NO_HITS: Hits & { n: number } = { n: 0, hits: [] }

/**
 * Returns the hits of a page, and a number of hits: exact up to `search.countUpTo`, greater if there are more. There are four ways:
 * 1. By date, or by look-ups per possible score. SQLite counts with the page or after it, PostgreSQL before it.
 * 2. Without a page, it only counts.
 * 3. In the order of an index (`sorted`), for many hits or by price, after it has counted.
 * 4. Otherwise it counts, then sorts all hits.
 */
function* pageAndCount(plan: Plan, scored: Part | undefined) {
  const { search, dialect, all, of, score } = plan
  const { size, sort, countUpTo: most } = search
  const inTurn = sort.length === 0 && score.parts.length > 0 ? bySum(score) : undefined
  const pageOf = (hints: PageHints) =>
    inTurn ? pageInTurn(search, inTurn, of, hints.isFew) : page(search, all, score, scored, hints)
  if (size > 0 && (inTurn || isByDate(search, scored))) {
    // SQLite counts with a page by date; look-ups in turn stop early, so that it counts after them
    if (dialect === 'sqlite') {
      const { n, hits } = yield* pageOf({ most })
      return { n: n ?? (most === undefined ? 0 : yield* countedBy(plan, most)), hits }
    }
    // PostgreSQL reads many hits in order, and sorts few of them
    const n = yield* counted(all, LIMITS.counted)
    return { n, hits: n === 0 ? [] : (yield* pageOf({ isFew: n <= LIMITS.counted })).hits }
  }
  if (size === 0) return { n: most === undefined ? 0 : yield* counted(all, most), hits: [] }
  // counting is cheaper than sorting: it spares an empty page, and decides whether an index gives the order of a field
  const n = yield* counted(all, LIMITS.counted)
  const dids = n > LIMITS.counted || (n > 0 && walksPrices(plan)) ? yield* sorted(plan) : undefined
  if (dids) return { n, hits: dids.map((did) => ({ did, score: score.constant })) }
  const isFew = dialect === 'postgres' && n <= LIMITS.counted
  return { n, hits: n === 0 ? [] : (yield* pageOf({ isFew })).hits }
}

/** Whether SQLite finds hits faster in the order of prices than it lists them: a good part of the documents with these prices are hits. */
function walksPrices({ search, dialect, price, pricesOfEach }: Plan): boolean {
  return dialect === 'sqlite' && price !== undefined && !pricesOfEach && isPrice(search.sort[0]?.path ?? '')
}

/** Counts hits, up to one more than `most`. Those of whole words alone may be enough: SQLite reads all words of a prefix first. */
function* countedBy({ all, of, score: { parts } }: Plan, most: number): Script<number> {
  const whole = parts.map(({ condition }) => condition).filter((one) => !hasPrefix(one))
  if (whole.length > 0 && whole.length < parts.length) {
    const n = yield* counted(of({ op: 'or', of: whole }), most)
    if (n > most) return n
  }
  return yield* counted(all, most)
}

/** Returns the reported number of hits. `count`: counted up to one more than `most`. */
function totalOf(count: number, most: number | undefined): SearchResult['total'] {
  if (most === undefined) return undefined
  return count > most ? { value: most, relation: 'gte' } : { value: count, relation: 'eq' }
}

/** Reads the assets of a page, up to a number of characters. The rest is read while the response is sent. */
function* assetsOfPage(dids: string[], known: KnownAssets, dialect: Dialect): Script<Map<string, IndexedAsset>> {
  const assets = new Map<string, IndexedAsset>()
  let characters = 0
  for (let at = 0; at < dids.length; at += AT_ONCE) {
    const some = dids.slice(at, at + AT_ONCE)
    const read: string[] = []
    for (const did of some) {
      const asset = known.get(did)
      if (asset) assets.set(did, asset)
      else read.push(did)
    }
    for (const [did, asset] of yield* assetsOf(read, dialect)) {
      assets.set(did, asset)
      known.set(did, asset)
    }
    for (const did of some) {
      const asset = assets.get(did)
      characters += asset ? charactersOf(asset) : 0
    }
    if (characters > LIMITS.documents) break
  }
  return assets
}

/** Returns a list of documents with their scores without the constant part. */
function scoredBy({ parts }: Score, all: Part, of: (also: Condition) => Part): Part {
  const each = parts.map(({ condition, points }) => ({ ...of(condition), points }))
  const arms = each.map(({ text }) => `SELECT id, CAST(? AS BIGINT) AS points FROM (${text}) AS part`)
  return {
    text: `SELECT id, CAST(SUM(points) AS BIGINT) AS score
      FROM (SELECT id, 0 AS points FROM (${all.text}) AS m UNION ALL ${arms.join(' UNION ALL ')}) AS arms GROUP BY id`,
    values: [...all.values, ...each.flatMap(({ points, values }) => [points, ...values])],
  }
}

function* greatest(score: Score, scored: Part | undefined): Script<number> {
  if (!scored) return score.constant
  const { rows } = yield* ask(`SELECT MAX(score) AS score FROM (${scored.text}) AS found`, scored.values)
  return score.constant + (rows[0]?.score as number)
}
