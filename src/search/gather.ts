import { BOUNDS } from '../bounds.js'
import type { Script } from '../state/sql.js'
import type { Part } from './compile.js'
import { ask, bySum, countOf, isTooLong } from './page.js'
import type { Plan } from './plan.js'

const LIMITS = BOUNDS.search

/**
 * Hits of one of the greater scores that are gathered. Where there are more, the newest are found faster by reading
 * documents in order, each with its tokens.
 */
const GATHERED = 8192

const LIMITED: Record<'counted' | 'greater', number> = { counted: LIMITS.counted, greater: GATHERED }

/** `most`: hits to count at most where they are not listed; undefined if nobody asks. */
type Limits = typeof LIMITED & { most: number | undefined }

/** Up to so many scores, a statement is one of few. */
const USUAL = 4

/** The number of hits, up to at least one more than are reported, and those of the page if they are known as well. */
interface Gathered {
  n: number
  hits: { did: string; score: number }[] | undefined
  /** Whether there are known to be more hits than are reported at most. */
  areMany: boolean
}

/**
 * Counts the hits and sorts a page of them by score and id, in one statement. For PostgreSQL, whose full-text index lists
 * documents in no order: they are gathered and sorted, those of the next lower score only if the page is not full.
 */
export function* gathered({ search, score, all, of }: Plan, limits = LIMITED): Script<Gathered> {
  const { from, size } = search
  const most = search.counted === undefined ? undefined : Math.min(search.counted, limits.counted)
  const end = from + size
  const scores = bySum(score)
  const greater = scores.slice(0, -1).map(([, condition]) => of(condition))
  const counting = statement(all, greater, end, { ...limits, most })
  const isLong = isTooLong(counting.text, counting.values)
  const { text, values } = isLong ? statement(all, greater, end, { ...limits, most }, true) : counting
  const isFixed = [all, ...greater].every((part) => part.isFixed) && scores.length <= USUAL
  const { rows } = yield* ask(text, [...values, size, from], isFixed)
  const n = rows[0]?.n as number
  const areMany = n > limits.counted
  let before = 0
  for (const at of greater.keys()) {
    if (before >= end) break
    const upTo = rows[0]?.[`up_to${at}`] as number
    if (upTo - before > limits.greater) return { n, hits: undefined, areMany }
    before = upTo
  }
  if (before < end && areMany) return { n, hits: undefined, areMany }
  const found = rows.filter(({ did }) => did !== null) as { did: string; rank: number }[]
  return { n, hits: found.map(({ did, rank }) => ({ did, score: scores[rank]?.[0] as number })), areMany }
}

/**
 * The statement, without the values of its last LIMIT and OFFSET. `greater`: the hits of all scores but the lowest. Where those
 * fill the page, hits are only counted, which is faster; `isListed`: they are listed in any case, so that a
 * long query is there once less.
 */
function statement(all: Part, greater: Part[], end: number, limits: Limits, isListed = false): Part {
  const tables: Part[] = []
  const arms: Part[] = []
  /** Whether the hits of the scores before leave room on the page. */
  const room = (at: number): Part[] => (at === 0 ? [] : [{ text: `(SELECT n FROM up_to${at - 1}) < ?`, values: [end] }])
  for (const [at, { text, values }] of greater.entries()) {
    tables.push({
      text: `best${at} AS MATERIALIZED (SELECT id FROM (${text}) AS m LIMIT ?)`,
      values: [...values, limits.greater + 1],
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
    arms.push(where(`SELECT id, ${at} AS rank FROM best${at}`, room(at)))
  }
  const last = room(greater.length)
  const listing = isListed ? [] : last
  const hits = where(`SELECT id FROM (${all.text}) AS m`, listing)
  const limited = [...all.values, ...listing.flatMap(({ values }) => values), limits.counted + 1]
  tables.push({ text: `hits AS MATERIALIZED (${hits.text} LIMIT ?)`, values: limited })
  const others = [...greater.keys()].map((at) => ({
    text: `NOT EXISTS (SELECT 1 FROM best${at} b WHERE b.id = hits.id)`,
    values: [],
  }))
  arms.push(where(`SELECT id, ${greater.length} AS rank FROM hits`, [...(isListed ? last : []), ...others]))
  const counts = [...greater.keys()].map((at) => `, (SELECT n FROM up_to${at}) AS up_to${at}`)
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

/** The number of hits. Those that were not listed, for want of room on the page, are counted if that is wanted. */
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
