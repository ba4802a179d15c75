import { type Driver, type Query, run, type Script, sql, sqlOne, type Value } from '@tidegate/database'
import { CATALOG_LIMITS } from '../limits.js'
import { orderIn } from '../search/orders/find-orders.js'
import type { FoundOrder } from '../search/orders/order-fields.js'

const LIMITS = CATALOG_LIMITS.sales

/**
 * A change of an order: it is in the index, its block is final, or its block was replaced and the chain has not included it again
 * in any final block.
 */
export interface SaleChange {
  kind: 'created' | 'confirmed' | 'reverted'
  /** The order, the block and the log index of its event, and its number among the orders of its transaction, from 0. */
  order: FoundOrder & { block: number; log: number; position: number }
}

/** The orders of the index, each reported once in each of its changes, over all instances and restarts. */
export interface SaleStore {
  /** Begins to report the orders of a chain that are not older than now. Does nothing if it has begun. `now`: milliseconds since 1970. */
  begin(chainId: number, now: number): Promise<void>
  /**
   * Passes some unreported changes to a script of the transaction that records them as reported. Leaves out new orders that are
   * older than `oldest` (milliseconds since 1970). Returns whether there may be more.
   */
  report(chainId: number, oldest: number, add: (changes: SaleChange[]) => Script<void>): Promise<boolean>
}

const FINAL = '(SELECT min(block) FROM index_checkpoint c WHERE c.chain_id = r.id)'
const BEGIN = sql(
  `INSERT INTO sale_marks (chain_id, block, since) SELECT CAST(:chainId AS BIGINT), coalesce((SELECT ${FINAL}
     FROM index_reading r WHERE r.chain_id = :chainId AND r.role = 'live'), -1), CAST(:since AS BIGINT)
   ON CONFLICT (chain_id) DO NOTHING`,
)
// none during a rollback, when orders are missing that the chain may still have
const POSITION = sqlOne(
  `SELECT r.id, r.chain_id, m.block, m.since, ${FINAL} AS final FROM index_reading r
     JOIN sale_marks m ON m.chain_id = r.chain_id JOIN index_cursor u ON u.chain_id = r.id AND u.undoing = 0
   WHERE r.chain_id = :chainId AND r.role = 'live'`,
)
// the row locks: of instances that report, and of every change of a generation
const LOCK_MARK = sql('UPDATE sale_marks SET block = block WHERE chain_id = :chainId')
const LOCK_CURSOR = sql('UPDATE index_cursor SET block = block WHERE chain_id = :id AND undoing = 0')
const MOVE_MARK = sql('UPDATE sale_marks SET block = :final WHERE chain_id = :chainId')

// a transaction that a reorganisation moves to another block keeps it
const NUMBER = `(SELECT count(*) FROM index_order p
  WHERE p.chain_id = o.chain_id AND p.block = o.block AND p.tx_id = o.tx_id AND p.log < o.log)`
const COLUMNS = `o.tx_id, o.datatoken, o.consumer, o.payer, o.timestamp, o.service, o.started, o.block, o.log, t.nft, a.did,
  ${NUMBER} AS position`
const WITH_ASSET = `LEFT JOIN index_datatoken t ON t.chain_id = o.chain_id AND t.address = o.datatoken
  LEFT JOIN index_asset a ON a.chain_id = t.chain_id AND a.nft = t.nft`
const IS_REPORTED = `EXISTS (
     SELECT 1 FROM reported_orders s WHERE s.chain_id = :chainId AND s.tx_id = o.tx_id AND s.position = ${NUMBER})`
// the first condition finds most of them by an index: numbering the orders of a full block costs the square of their count
const CREATED = sql(
  `SELECT ${COLUMNS} FROM index_order o ${WITH_ASSET}
   WHERE o.chain_id = :id AND o.block > :block AND o.timestamp >= :oldest AND NOT EXISTS (
     SELECT 1 FROM reported_orders p WHERE p.chain_id = :chainId AND p.block = o.block AND p.log = o.log AND p.tx_id = o.tx_id)
     AND NOT ${IS_REPORTED}
   ORDER BY o.block, o.log LIMIT ${LIMITS.atOnce}`,
)
// a plus keeps planners from reading all orders of the chain
const CONFIRMED = sql(
  `SELECT ${COLUMNS} FROM index_order o ${WITH_ASSET}
   WHERE o.tx_id IN (SELECT tx_id FROM reported_orders WHERE chain_id = :chainId) AND +o.chain_id = :id
     AND +o.block <= :final AND ${IS_REPORTED} LIMIT ${LIMITS.atOnce}`,
)
const REVERTED = sql(
  `SELECT s.body FROM reported_orders s WHERE s.chain_id = :chainId AND s.block <= :final AND NOT EXISTS (
     SELECT 1 FROM index_order o WHERE o.tx_id = s.tx_id AND +o.chain_id = :id) LIMIT ${LIMITS.atOnce}`,
)
const RECORD = sql(
  `INSERT INTO reported_orders (chain_id, tx_id, position, block, log, body)
   VALUES (:chainId, :orderId, :position, :block, :log, :body) ON CONFLICT DO NOTHING`,
)
const SETTLE = sql(
  'DELETE FROM reported_orders WHERE chain_id = :chainId AND tx_id = :orderId AND position = :position',
)

/** Ids of chain and generation, the first block whose orders count, and the last final block. */
interface Position {
  id: number
  chainId: number
  block: number
  final: number
  /** Seconds since 1970. */
  oldest: number
}

function positionIn(row: Record<string, Value> | undefined, oldest: number): Position | undefined {
  if (!row || row.final === null) return undefined
  const { id, chain_id: chainId, block, final, since } = row as Record<string, number>
  return { id, chainId, block, final, oldest: Math.max(since as number, Math.floor(oldest / 1000)) } as Position
}

const ordersIn = (rows: Record<string, Value>[], chainId: number): SaleChange['order'][] =>
  rows.map(({ block, log, position, ...row }) => ({
    ...orderIn(row, chainId),
    block: block as number,
    log: log as number,
    position: Number(position),
  }))

function* report(chainId: number, oldest: number, add: (changes: SaleChange[]) => Script<void>): Script<boolean> {
  yield* run(LOCK_MARK({ chainId }))
  const at = positionIn((yield* run(POSITION({ chainId }))).rows[0], oldest)
  if (!at || (yield* run(LOCK_CURSOR(at))).changes !== 1) return false
  const created = ordersIn((yield* run(CREATED(at))).rows, chainId)
  for (const order of created) yield* run(RECORD({ ...order, body: JSON.stringify(order) }))
  const isAll = created.length < LIMITS.atOnce
  // with the mark alone: after it, an order that is settled would count as unreported
  const confirmed = isAll ? ordersIn((yield* run(CONFIRMED(at))).rows, chainId) : []
  const reverted = (yield* run(REVERTED(at))).rows.map(({ body }) => JSON.parse(body as string) as SaleChange['order'])
  for (const order of [...confirmed, ...reverted]) yield* run(SETTLE(order))
  const changes = (kind: SaleChange['kind'], orders: SaleChange['order'][]) => orders.map((order) => ({ kind, order }))
  yield* add([...changes('created', created), ...changes('confirmed', confirmed), ...changes('reverted', reverted)])
  if (isAll) yield* run(MOVE_MARK(at))
  return [created, confirmed, reverted].some(({ length }) => length === LIMITS.atOnce)
}

/** Creates the store of the orders that are reported. */
export function saleStore(db: Driver): SaleStore {
  const hasRow = async (query: Query) => (await db.query(query)).rows.length > 0
  return {
    begin: async (chainId, now) => void (await db.query(BEGIN({ chainId, since: Math.floor(now / 1000) }))),
    async report(chainId, oldest, add) {
      const at = positionIn((await db.query(POSITION({ chainId }))).rows[0], oldest)
      if (!at) return false
      // reads first: most looks find nothing, and must not lock the index
      const isWork =
        at.final - at.block > LIMITS.window ||
        (await hasRow(CREATED(at))) ||
        (await hasRow(CONFIRMED(at))) ||
        (await hasRow(REVERTED(at)))
      return isWork && db.transact(report(chainId, oldest, add))
    },
  }
}
