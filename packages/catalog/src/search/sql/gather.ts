import type { Script } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Part } from './compile.js'
import { ask, bySum, countOf, isTooLong } from './page.js'
import type { Plan } from './plan.js'

const LIMITS = CATALOG_LIMITS.search

/**
 * Maximum hits of one score (except the lowest) that are gathered; `titled` if names decide. If there are more, reading documents in
 * order finds the newest faster.
 */
const GATHERED = { greater: 8192, titled: 1024 }

const LIMITED: Record<'counted' | keyof typeof GATHERED, number> = { counted: LIMITS.counted, ...GATHERED }

/** `most`: maximum hits to count if they are not listed; undefined: none. */
type Limits = typeof LIMITED & { most: number | undefined }

/** The hits of one score, except the lowest. */
interface Level {
  hits: Part
  /** The same hits by names, to read in order if there are too many to gather. */
  titles: Part | undefined
  gathered: number
}

/** Maximum scores of a statement that is prepared. */
const USUAL = 4

interface Gathered {
  /** Number of hits, counted up to one more than are reported. */
  n: number
  /** Hits of the page; undefined if there are too many to gather. */
  hits: { did: string; score: number }[] | undefined
  /** Whether there are more hits than are counted at most. */
  areMany: boolean
}

/**
 * Counts the hits and sorts a page by score and id, in one statement, for PostgreSQL, whose full-text index returns documents in no
 * order. Gathers hits of the next lower score only if the page is not full.
 */
export function* gathered({ search, score, all, of, inTitles }: Plan, limits = LIMITED): Script<Gathered> {
  const { from, size } = search
  const scores = bySum(score) ?? []
  const most = search.counted === undefined ? undefined : Math.min(search.counted, limits.counted)
  const end = from + size
  const levels = scores.slice(0, -1).map(([, condition]): Level => {
    const titles = end <= limits.titled ? inTitles(condition) : undefined
    return { hits: of(condition), titles, gathered: titles ? limits.titled : limits.greater }
  })
  const counting = statement(all, levels, end, { ...limits, most })
  const isLong = isTooLong(counting.text, counting.values)
  const { text, values } = isLong ? statement(all, levels, end, { ...limits, most }, true) : counting
  const isFixed = [all, ...levels.map(({ hits }) => hits)].every((part) => part.isFixed) && scores.length <= USUAL
  const { rows } = yield* ask(text, [...values, size, from], isFixed)
  const n = rows[0]?.n as number
  const areMany = n > limits.counted
  let before = 0
  for (const [at, { titles, gathered }] of levels.entries()) {
    if (before >= end) break
    const upTo = rows[0]?.[`up_to${at}`] as number
    if (!titles && upTo - before > gathered) return { n, hits: undefined, areMany }
    before = upTo
  }
  if (before < end && areMany) return { n, hits: undefined, areMany }
  const found = rows.filter(({ did }) => did !== null) as { did: string; rank: number }[]
  return { n, hits: found.map(({ did, rank }) => ({ did, score: scores[rank]?.[0] as number })), areMany }
}

/**
 * Returns the statement without the values of its last LIMIT and OFFSET. `levels`: the hits of all scores except the lowest. If these fill
 * the page, the rest is only counted. `isListed`: lists the rest in any case, which shortens the statement of a long query.
 */
function statement(all: Part, levels: Level[], end: number, limits: Limits, isListed = false): Part {
  const tables: Part[] = []
  const arms: Part[] = []
  /** The condition that hits of earlier levels do not fill the page. */
  const room = (at: number): Part[] => (at === 0 ? [] : [{ text: `(SELECT n FROM up_to${at - 1}) < ?`, values: [end] }])
  for (const [at, { hits, titles, gathered }] of levels.entries()) {
    tables.push({
      text: `best${at} AS MATERIALIZED (SELECT id FROM (${hits.text}) AS m LIMIT ?)`,
      values: [...hits.values, gathered + 1],
    })
    tables.push(
      at === 0
        ? { text: 'up_to0 AS MATERIALIZED (SELECT count(*) AS n FROM best0)', values: [] }
        : {
            text: `up_to${at} AS MATERIALIZED (
              SELECT n + CASE WHEN n < ? THEN (SELECT count(*) FROM best${at}) ELSE 0 END AS n FROM up_to${at - 1})`,
            values: [end],
          },
    )
    const list = `SELECT id, ${at} AS rank FROM best${at}`
    if (titles) arms.push(...eitherOf(list, titles, at, { most: gathered, end, room: room(at) }))
    else arms.push(where(list, room(at)))
  }
  const last = room(levels.length)
  const listing = isListed ? [] : last
  const hits = where(`SELECT id FROM (${all.text}) AS m`, listing)
  const limited = [...all.values, ...listing.flatMap(({ values }) => values), limits.counted + 1]
  tables.push({ text: `hits AS MATERIALIZED (${hits.text} LIMIT ?)`, values: limited })
  const others = [...levels.keys()].map((at) => ({
    text: `NOT EXISTS (SELECT 1 FROM best${at} b WHERE b.id = hits.id)`,
    values: [],
  }))
  arms.push(where(`SELECT id, ${levels.length} AS rank FROM hits`, [...(isListed ? last : []), ...others]))
  const counts = [...levels.keys()].map((at) => `, (SELECT n FROM up_to${at}) AS up_to${at}`)
  const n = numberOf(all, listing, limits)
  return {
    text: `WITH ${tables.map(({ text }) => text).join(', ')}
      SELECT ${n.text} AS n${counts.join('')}, p.did, p.rank
      FROM (SELECT 1) AS one LEFT JOIN (
        SELECT d.did, p.id, p.rank FROM (
          SELECT id, rank FROM (${arms.map(({ text }) => text).join(' UNION ALL ')}) AS arms ORDER BY rank, id DESC LIMIT ? OFFSET ?
        ) AS p JOIN search_document d ON d.id = p.id
      ) AS p ON true ORDER BY p.rank, p.id DESC`,
    values: [...tables.flatMap(({ values }) => values), ...n.values, ...arms.flatMap(({ values }) => values)],
  }
}

/** Returns two arms for a level: the gathered hits, or if there are more than `most`, the newest by names. */
function eitherOf(
  list: string,
  titles: Part,
  at: number,
  { most, end, room }: { most: number; end: number; room: Part[] },
) {
  const own = at === 0 ? '(SELECT n FROM up_to0)' : `(SELECT n FROM up_to${at}) - (SELECT n FROM up_to${at - 1})`
  const newest = `SELECT id, ${at} AS rank FROM (${titles.text} ORDER BY id DESC LIMIT ?) AS newest${at}`
  const byNames = where(newest, [...room, { text: `${own} > ?`, values: [most] }])
  return [
    where(list, [...room, { text: `${own} <= ?`, values: [most] }]),
    { text: byNames.text, values: [...titles.values, end, ...byNames.values] },
  ]
}

/** Returns the expression for the number of hits: of the list, or counted if the page is full without it. */
function numberOf(all: Part, [room]: Part[], { most }: Limits): Part {
  const listed = '(SELECT count(*) FROM hits)'
  if (!room) return { text: listed, values: [] }
  const count = most === undefined ? { text: '0', values: [] } : countOf(all, most)
  return {
    text: `CASE WHEN ${room.text} THEN ${listed} ELSE (${count.text}) END`,
    values: [...room.values, ...count.values],
  }
}

function where(text: string, conditions: Part[]): Part {
  if (conditions.length === 0) return { text, values: [] }
  return {
    text: `${text} WHERE ${conditions.map((one) => one.text).join(' AND ')}`,
    values: conditions.flatMap(({ values }) => values),
  }
}
