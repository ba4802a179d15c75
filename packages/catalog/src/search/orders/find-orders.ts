import { run, type Script, sql, type Value } from '@tidegate/database'
import { isComplete } from '../../index/tables/format.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { ask } from '../hits/page.js'
import { conditionOf, type LiveGeneration } from './order-conditions.js'
import type { FoundOrder } from './order-fields.js'
import type { OrderSearch } from './order-request.js'

/** The orders of a page, and how many there are, up to a bound, if that was asked for. */
export interface OrderPage {
  orders: FoundOrder[]
  total: number
}

const GENERATIONS = sql(
  `SELECT id, chain_id, CASE WHEN ${isComplete('id')} THEN 1 ELSE 0 END AS complete FROM index_reading WHERE role = 'live'`,
)

/**
 * Finds orders on some chains, by statements of one snapshot. Returns undefined while the orders of a chain are read for the
 * first time. Throws ValidationError if the search is too expensive.
 */
export function* findOrders(search: OrderSearch, chains: readonly number[]): Script<OrderPage | undefined> {
  const live = (yield* run(GENERATIONS())).rows.filter((row) => chains.includes(row.chain_id as number))
  if (live.some(({ complete }) => complete === 0)) return undefined
  const generations = live.map((row): LiveGeneration => ({ id: row.id as number, chainId: row.chain_id as number }))
  if (generations.length === 0) return { orders: [], total: 0 }
  const condition = conditionOf(search.query, generations)
  const where = `+chain_id IN (${generations.map(() => '?').join(', ')}) AND ${condition.text}`
  const values = [...generations.map(({ id }) => id), ...condition.values]
  const total = search.isCounted ? yield* counted(where, values) : 0
  const { rows } = yield* ask(pageOf(where, search.isOldestFirst), [...values, search.size, search.from])
  const chainOf = new Map(generations.map(({ id, chainId }) => [id as Value, chainId]))
  return { orders: rows.map((row) => orderIn(row, chainOf.get(row.chain_id as Value) as number)), total }
}

function* counted(where: string, values: Value[]): Script<number> {
  const text = `SELECT count(*) AS n FROM (SELECT 1 FROM index_order WHERE ${where} LIMIT ?) AS counted`
  return (yield* ask(text, [...values, CATALOG_LIMITS.search.counted])).rows[0]?.n as number
}

/** The statement for the orders of a page, with their assets. */
function pageOf(where: string, isOldestFirst: boolean): string {
  const order = (table: string) =>
    ['timestamp', 'block', 'log', 'chain_id']
      .map((column) => `${table}.${column} ${isOldestFirst ? 'ASC' : 'DESC'}`)
      .join(', ')
  return `SELECT o.chain_id, o.tx_id, o.datatoken, o.consumer, o.payer, o.timestamp, o.service, o.started, t.nft, a.did
    FROM (SELECT * FROM index_order WHERE ${where} ORDER BY ${order('index_order')} LIMIT ? OFFSET ?) AS o
      LEFT JOIN index_datatoken t ON t.chain_id = o.chain_id AND t.address = o.datatoken
      LEFT JOIN index_asset a ON a.chain_id = t.chain_id AND a.nft = t.nft
    ORDER BY ${order('o')}`
}

/** Returns the order of a row. One whose asset was never described has no DID. */
export function orderIn({ started, service, nft, did, ...row }: Record<string, Value>, chainId: number): FoundOrder {
  return {
    orderId: row.tx_id as string,
    type: started === null ? 'startOrder' : 'reuseOrder',
    timestamp: row.timestamp as number,
    consumer: row.consumer as string,
    payer: row.payer as string,
    datatokenAddress: row.datatoken as string,
    nftAddress: (nft ?? '') as string,
    did: (did ?? '') as string,
    ...(started === null ? {} : { startOrderId: started as string }),
    ...(service === null ? {} : { serviceIndex: service as number }),
    chainId,
  }
}
