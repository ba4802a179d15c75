import { type Query, type Result, sql, type Value } from '@tidegate/database'
import type { Address } from '@tidegate/protocol'
import { DAY } from '@tidegate/protocol/constants'
import type { Breakdown, Totals, TotalsRequest } from './delivery-store.js'

type Row = Result['rows'][number]

/** SQL for the key of a row `d`, by breakdown. */
const KEYS: Record<Breakdown | 'all', string> = {
  all: "''",
  day: `CAST(d.at / ${DAY} AS TEXT)`,
  asset: 'd.did',
  consumer: 'd.consumer',
  publisher: "coalesce(n.owner, '')",
}

/** The first owner of a data NFT in the live index of its chain. */
const OWNER = `LEFT JOIN index_reading r ON r.chain_id = d.chain_id AND r.role = 'live'
  LEFT JOIN index_nft n ON n.chain_id = r.id AND n.address = d.nft`

/**
 * Digits of a part. An amount has up to 78 digits, too many for integers of the databases, so it is summed in parts.
 * Their sums are exact for up to nine billion orders.
 */
const PART_DIGITS = 9
const PARTS = 9
const ZEROS = `'${'0'.repeat(PART_DIGITS * PARTS)}'`
const part = (at: number) =>
  `CAST(sum(CAST(substr(${ZEROS} || d.amount, length(d.amount) + ${1 + at * PART_DIGITS}, ${PART_DIGITS}) AS BIGINT)) AS TEXT)`
const PART_NAMES = Array.from({ length: PARTS }, (_, at) => `part${at}`)

/** SQL of a sum as text: a sum may be too large for an exact JavaScript number. */
const total = (expression: string) => `CAST(${expression} AS TEXT)`

/** Returns the statement for totals by key: deliveries first, with an empty token, then fees by token. */
export function totalsQuery({ since, until, by }: TotalsRequest): Query {
  const key = KEYS[by ?? 'all']
  const owner = by === 'publisher' ? OWNER : ''
  const period = 'WHERE d.at >= :since AND d.at < :until'
  const noParts = PART_NAMES.map((name) => `'' AS ${name}`).join(', ')
  return sql(
    `SELECT * FROM (
       SELECT ${key} AS key, 0 AS chain_id, '' AS token, ${total('coalesce(sum(d.counted), 0)')} AS deliveries,
         ${total('coalesce(sum(d.complete), 0)')} AS complete, ${total('coalesce(sum(d.bytes), 0)')} AS bytes,
         ${total("count(DISTINCT d.chain_id || ' ' || d.order_tx || ' ' || d.did || ' ' || d.service)")} AS orders,
         ${noParts}
       FROM deliveries d ${owner} ${period} ${by ? 'GROUP BY 1' : ''}
       UNION ALL
       SELECT ${key} AS key, d.chain_id AS chain_id, d.token AS token, '' AS deliveries, '' AS complete, '' AS bytes,
         '' AS orders, ${PART_NAMES.map((name, at) => `${part(at)} AS ${name}`).join(', ')}
       FROM order_fees d ${owner} ${period} GROUP BY 1, 2, 3
     ) t ORDER BY ${by === 'day' ? 'CAST(key AS BIGINT)' : 'key'}, token, chain_id`,
  )({ since, until })
}

/** Reads the rows of the statement. */
export async function* totalsFrom(rows: AsyncIterable<Row>, by: Breakdown | undefined): AsyncGenerator<Totals> {
  for await (const row of rows) {
    const key = by === 'day' ? dayOf(Number(row.key)) : String(row.key)
    if (row.token !== '')
      yield { key, chainId: Number(row.chain_id), token: row.token as Address, amount: amountOf(row) }
    else
      yield {
        key,
        deliveries: whole(row.deliveries),
        complete: whole(row.complete),
        bytes: whole(row.bytes),
        orders: whole(row.orders),
      }
  }
}

function amountOf(row: Row): bigint {
  const base = 10n ** BigInt(PART_DIGITS)
  return PART_NAMES.reduce((sum, name) => sum * base + whole(row[name]), 0n)
}

const whole = (value: Value | undefined) => BigInt(value as string)

const dayOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
