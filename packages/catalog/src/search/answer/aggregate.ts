import { type Dialect, run, type Script, type Value } from '@tidegate/database'
import { ValidationError } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Part } from '../conditions/condition.js'
import { pathNumber } from '../conditions/tokens.js'
import { PRICE_PATHS, PRICES } from '../prices.js'
import type { Aggregated, Aggregation, Bucket, Search } from '../syntax.js'

/** The error of counts that leave out documents, in Elasticsearch's format. */
const UNKNOWN = -1

type Terms = Extract<Aggregation, { kind: 'terms' }>

/** Returns the stored path of a field, and SQL for the key of its values: the text, or the number if there is no text. */
function bucketKeyOf(field: string, row: string): { path: number; txt: string; num: string } {
  const [txt, num] = [`${row}.txt`, `${row}.num`]
  // one row has both the first price and its token. The other one is left out as NULL of its type
  if (field === PRICES.first) return { path: PRICE_PATHS.first, txt: `CASE WHEN 1 = 0 THEN ${txt} END`, num }
  if (field === PRICES.token) return { path: PRICE_PATHS.first, txt, num: `CASE WHEN 1 = 0 THEN ${num} END` }
  return { path: pathNumber(field), txt, num: `CASE WHEN ${txt} IS NULL THEN ${num} END` }
}

// without IS NOT NULL, for which SQLite would read the index of all documents' numbers
const SUM = '(SELECT SUM(v.num) FROM search_value v WHERE v.doc = m.id AND v.path = ?)'

/**
 * SQL for the newest ids of a list, the number of them, and their table. PostgreSQL must not read its documents in the order of ids: it
 * would compare the words of each with the query. `sent`: maximum ids that are sent to the service and back. More would keep its event loop
 * busy, so PostgreSQL lists them again for each aggregation. SQLite has them in the process.
 */
const LISTS = {
  sqlite: {
    order: 'id',
    ids: 'json_group_array(id)',
    table: 'SELECT value AS id FROM json_each(?)',
    sent: CATALOG_LIMITS.search.aggregated + 1,
  },
  postgres: {
    order: 'id + 0',
    ids: "CAST(coalesce(json_agg(id), '[]') AS TEXT)",
    table: 'SELECT CAST(value AS BIGINT) AS id FROM json_array_elements_text(CAST(? AS JSON))',
    sent: CATALOG_LIMITS.search.counted + 1,
  },
}

/**
 * Aggregates values of the documents in a list: of the newest `search.aggregateUpTo` if there are more. Throws ValidationError if there are
 * too many values. `hitCount`: the number of documents in the list, up to one more. `sent`: see LISTS.
 */
export function* aggregated(
  { aggregations: wanted, aggregateUpTo: most }: Search,
  hits: Part,
  dialect: Dialect,
  sent = LISTS[dialect].sent,
): Script<{ aggregations: Record<string, Aggregated>; hitCount: number | undefined }> {
  if (Object.keys(wanted).length === 0) return { aggregations: {}, hitCount: undefined }
  const { all, hitCount } = yield* newestOf(hits, most, dialect, sent)
  const results: [string, Aggregated][] = []
  for (const [name, one] of Object.entries(wanted))
    results.push([name, one.kind === 'sum' ? yield* sum(one.path, all) : yield* terms(one, all)])
  if (hitCount > most) for (const [, one] of results) if ('buckets' in one) one.doc_count_error_upper_bound = UNKNOWN
  return { aggregations: Object.fromEntries(results), hitCount }
}

/** Lists the newest hits, if possible once for all aggregations: the search takes longer than a list of all documents. */
function* newestOf({ text, values }: Part, most: number, dialect: Dialect, sent: number) {
  const { order, ids, table } = LISTS[dialect]
  const newest = `SELECT id FROM (${text}) AS hits ORDER BY ${order} DESC LIMIT ?`
  const list = `SELECT count(*) AS n, CASE WHEN count(*) <= ${sent} THEN ${ids} END AS ids FROM (${newest}) AS newest`
  const [row] = (yield* run({ text: list, values: [...values, most + 1] })).rows
  const { n, ids: all } = row as { n: number; ids: string | null }
  if (all === null) return { all: { text: newest, values: [...values, most] }, hitCount: n }
  return { all: { text: table, values: [n > most ? `${all.slice(0, all.lastIndexOf(','))}]` : all] }, hitCount: n }
}

function* sum(path: string, all: Part): Script<Aggregated> {
  const text = `SELECT SUM(${SUM}) AS value FROM (${all.text}) AS m`
  const { rows } = yield* run({ text, values: [pathNumber(path), ...all.values] })
  return { value: (rows[0]?.value as number | null) ?? 0 }
}

interface BucketRow {
  txt: string | null
  num: number | null
  n: number
  pairs: number
  [sum: `s${number}`]: Value
}

const keyIn = ({ txt, num }: Pick<BucketRow, 'txt' | 'num'>) => txt ?? (num as number)

function* terms({ path, size, order, inside }: Terms, all: Part): Script<Aggregated> {
  const sums = Object.entries(inside).filter(([, one]) => one.kind === 'sum')
  const columns = sums.map((_, at) => `, coalesce(SUM(${SUM}), 0) AS s${at}`).join('')
  const at = sums.findIndex(([name]) => name === order.by)
  const by = order.by === '_count' ? 'n' : order.by === '_key' ? undefined : `s${at}`
  const direction = order.descending ? 'DESC' : 'ASC'
  const keys = by ? `${by} ${direction}, key_kind, txt, num` : `key_kind, txt ${direction}, num ${direction}`
  const f = bucketKeyOf(path, 'f')
  // `pairs` is the total over all buckets, including those beyond the limit
  const text = `SELECT * FROM (
      SELECT ${f.txt} AS txt, ${f.num} AS num, CASE WHEN ${f.txt} IS NULL THEN 1 ELSE 0 END AS key_kind,
        count(*) AS n, CAST(SUM(count(*)) OVER () AS BIGINT) AS pairs${columns}
      FROM (${all.text}) AS m CROSS JOIN search_value f
      WHERE f.doc = m.id AND f.path = ? AND (${f.txt} IS NOT NULL OR ${f.num} IS NOT NULL) GROUP BY ${f.txt}, ${f.num}, key_kind
    ) AS buckets ORDER BY ${keys} LIMIT ?`
  const values = [...sums.map(([, one]) => pathNumber(one.path)), ...all.values, f.path, size]
  const rows = (yield* run({ text, values })).rows as unknown as BucketRow[]
  const shown = rows.reduce((count, { n }) => count + n, 0)
  const buckets = rows.map(
    (row): Bucket => ({
      key: keyIn(row),
      doc_count: row.n,
      ...Object.fromEntries(sums.map(([name], at) => [name, { value: row[`s${at}`] as number }])),
    }),
  )
  for (const [name, one] of Object.entries(inside))
    if (one.kind === 'terms') yield* within(name, one, path, buckets, all)
  return { doc_count_error_upper_bound: 0, sum_other_doc_count: (rows[0]?.pairs ?? 0) - shown, buckets }
}

/** Adds a nested aggregation to each bucket. */
function* within(name: string, inner: Terms, path: string, buckets: Bucket[], all: Part): Script<void> {
  const direction = inner.order.descending ? 'DESC' : 'ASC'
  const keys =
    inner.order.by === '_key'
      ? `inner_txt ${direction}, inner_num ${direction}`
      : `n ${direction}, inner_kind, inner_txt, inner_num`
  const [f, g] = [bucketKeyOf(path, 'f'), bucketKeyOf(inner.path, 'g')]
  const text = `SELECT * FROM (
      SELECT ${f.txt} AS txt, ${f.num} AS num, ${g.txt} AS inner_txt, ${g.num} AS inner_num,
        CASE WHEN ${g.txt} IS NULL THEN 1 ELSE 0 END AS inner_kind, count(*) AS n
      FROM (${all.text}) AS m CROSS JOIN search_value f CROSS JOIN search_value g
      WHERE f.doc = m.id AND f.path = ? AND g.doc = m.id AND g.path = ?
        AND (${f.txt} IS NOT NULL OR ${f.num} IS NOT NULL) AND (${g.txt} IS NOT NULL OR ${g.num} IS NOT NULL)
      GROUP BY ${f.txt}, ${f.num}, ${g.txt}, ${g.num}, inner_kind
    ) AS pairs ORDER BY ${keys} LIMIT ?`
  const values = [...all.values, f.path, g.path, CATALOG_LIMITS.search.pairs + 1]
  const rows = (yield* run({ text, values })).rows as unknown as (BucketRow & {
    inner_txt: string | null
    inner_num: number | null
  })[]
  if (rows.length > CATALOG_LIMITS.search.pairs)
    throw ValidationError.of(
      'aggs',
      `There are more than ${CATALOG_LIMITS.search.pairs} pairs of values to count. Narrow the query.`,
    )
  const byKey = new Map<string | number, Bucket[]>()
  for (const row of rows) {
    const key = keyIn(row)
    const list = byKey.get(key) ?? []
    list.push({ key: row.inner_txt ?? (row.inner_num as number), doc_count: row.n })
    byKey.set(key, list)
  }
  for (const bucket of buckets) {
    const list = byKey.get(bucket.key) ?? []
    const shown = list.slice(0, inner.size)
    const other = list.slice(inner.size).reduce((count, { doc_count }) => count + doc_count, 0)
    bucket[name] = { doc_count_error_upper_bound: 0, sum_other_doc_count: other, buckets: shown }
  }
}
