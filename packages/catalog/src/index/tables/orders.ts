import { type Query, run, type Script, sql } from '@tidegate/database'
import type { Address } from 'viem'
import type { IndexChange, ReusedOrder } from '../index-store.js'

type OrderChange = Extract<IndexChange, { kind: 'order' }>

/** Orders that one transaction of a rollback or a sweep deletes, and the rest of the block of the last one. */
const AT_ONCE = 255

/** Orders that one statement adds if there are as many: each statement waits for its answer. */
export const ORDERS_PER_INSERT = 50

// a node that gives an event twice must not stop the index
const insertion = (rows: number) =>
  `INSERT INTO index_order (chain_id, block, log, tx_id, datatoken, consumer, payer, timestamp, service)
   VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`
const INSERTIONS = new Map([1, ORDERS_PER_INSERT].map((rows) => [rows, insertion(rows)]))
const COUNT = sql(
  'UPDATE index_datatoken SET orders = orders + :count WHERE chain_id = :chainId AND address = :datatoken',
)
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

/** Returns the statements that add and count orders: one, or ORDERS_PER_INSERT. */
export function insertOrders(chainId: number, orders: readonly OrderChange[]): Query[] {
  const values = orders.flatMap(
    ({ datatoken, order: { block, log, txId, consumer, payer, timestamp, serviceIndex } }) => [
      ...[chainId, block, log, txId, datatoken, consumer, payer, timestamp, serviceIndex ?? null],
    ],
  )
  const counts = new Map<Address, number>()
  for (const { datatoken } of orders) counts.set(datatoken, (counts.get(datatoken) ?? 0) + 1)
  return [
    { text: INSERTIONS.get(orders.length) as string, values },
    ...[...counts].map(([datatoken, count]) => COUNT({ chainId, datatoken, count })),
  ]
}

/** Splits changes into those that are applied at once: ORDERS_PER_INSERT orders in a row, or one change. */
export function* groupsOf(changes: readonly IndexChange[]): Generator<IndexChange[]> {
  for (let at = 0; at < changes.length; ) {
    const next = changes.slice(at, at + ORDERS_PER_INSERT)
    const areOrders = next.length === ORDERS_PER_INSERT && next.every(({ kind }) => kind === 'order')
    const group = areOrders ? next : next.slice(0, 1)
    yield group
    at += group.length
  }
}

/** Returns the statement that adds the reuse of an order, with its consumer. */
export function insertReuse(chainId: number, datatoken: Address, order: ReusedOrder): Query {
  return REUSE({ chainId, datatoken, ...order })
}

/** Deletes some of the orders after a block. Returns false if there were none. */
export function* dropSomeOrders(chainId: number, block: number): Script<boolean> {
  return (yield* run(DROP_LATER({ chainId, block }))).changes > 0
}
