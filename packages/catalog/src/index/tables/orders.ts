import { type Query, run, type Script, sql } from '@tidegate/database'
import type { Address } from 'viem'
import type { IndexChange, ReusedOrder } from '../index-store.js'

type OrderChange = Extract<IndexChange, { kind: 'order' }>

/** Orders that one transaction of a rollback or a sweep deletes, and the rest of the block of the last one. */
const AT_ONCE = 255

/** Orders that one statement adds: each statement waits for its answer. Few sizes, so that there are few statements to prepare. */
const SIZES = [50, 10, 1] as const

// a node that gives an event twice must not stop the index
const insertion = (rows: number) =>
  `INSERT INTO index_order (chain_id, block, log, tx_id, datatoken, consumer, payer, timestamp, service)
   VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`
const counting = (rows: number) =>
  `UPDATE index_datatoken SET orders = orders + CASE address ${'WHEN ? THEN CAST(? AS BIGINT) '.repeat(rows)}ELSE 0 END
   WHERE chain_id = ? AND address IN (${Array(rows).fill('?').join(', ')})`
const INSERTIONS = new Map(SIZES.map((rows) => [rows as number, insertion(rows)]))
const COUNTS = new Map(SIZES.map((rows) => [rows as number, counting(rows)]))
// a reuse of an order that this datatoken does not have is left out. The plus keeps planners from reading all orders in their order
const REUSE = sql(
  `INSERT INTO index_order (chain_id, block, log, tx_id, datatoken, consumer, payer, timestamp, service, started)
   SELECT chain_id, CAST(:block AS BIGINT), CAST(:log AS BIGINT), :txId, datatoken, consumer, :payer,
     CAST(:timestamp AS BIGINT), service, tx_id
   FROM index_order
   WHERE tx_id = :started AND +chain_id = :chainId AND datatoken = :datatoken AND started IS NULL
   ORDER BY block, log LIMIT 1 ON CONFLICT DO NOTHING`,
)
const DROP_LATER = sql(
  `DELETE FROM index_order WHERE chain_id = :chainId AND block >= coalesce(
     (SELECT block FROM index_order WHERE chain_id = :chainId AND block > :block
      ORDER BY block DESC LIMIT 1 OFFSET ${AT_ONCE}), CAST(:block AS BIGINT) + 1)`,
)

/** Deletes some orders of an obsolete generation. */
export const SWEEP_ORDERS = sql(
  `DELETE FROM index_order WHERE chain_id = :id AND block <= coalesce(
     (SELECT block FROM index_order WHERE chain_id = :id ORDER BY block LIMIT 1 OFFSET ${AT_ONCE}), 9007199254740991)`,
)

/** Returns the statements that add and count orders: as many as a group of `groupsOf` has. */
export function insertOrders(chainId: number, orders: readonly OrderChange[]): Query[] {
  const values = orders.flatMap(
    ({ datatoken, order: { block, log, txId, consumer, payer, timestamp, serviceIndex } }) => [
      ...[chainId, block, log, txId, datatoken, consumer, payer, timestamp, serviceIndex ?? null],
    ],
  )
  const counts = new Map<string, number>()
  for (const { datatoken } of orders) counts.set(datatoken, (counts.get(datatoken) ?? 0) + 1)
  // no datatoken has the address of a padding
  for (let at = counts.size; at < orders.length; at++) counts.set(`${at}`, 0)
  const counted = [...[...counts].flat(), chainId, ...counts.keys()]
  return [
    { text: INSERTIONS.get(orders.length) as string, values },
    { text: COUNTS.get(orders.length) as string, values: counted },
  ]
}

/**
 * Splits changes into those that are applied at once: some orders, or one other change. Orders are applied after other changes, but
 * before the next reuse, which may name them.
 */
export function* groupsOf(changes: readonly IndexChange[]): Generator<IndexChange[]> {
  const orders: OrderChange[] = []
  const waiting = function* () {
    for (const size of SIZES) while (orders.length >= size) yield orders.splice(0, size)
  }
  for (const change of changes) {
    if (change.kind === 'order') orders.push(change)
    else {
      if (change.kind === 'reuse') yield* waiting()
      yield [change]
    }
  }
  yield* waiting()
}

/** Returns the statement that adds the reuse of an order, with its consumer. */
export function insertReuse(chainId: number, datatoken: Address, order: ReusedOrder): Query {
  return REUSE({ chainId, datatoken, ...order })
}

/** Deletes some of the orders after a block. Returns false if there were none. */
export function* dropSomeOrders(chainId: number, block: number): Script<boolean> {
  return (yield* run(DROP_LATER({ chainId, block }))).changes > 0
}
