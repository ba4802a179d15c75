import { type Query, run, type Script, sql } from '@tidegate/database'
import type { Address } from 'viem'
import type { ReusedOrder, StartedOrder } from '../index-store.js'

/** Orders that one transaction of a rollback or a sweep deletes, and the rest of the block of the last one. */
const AT_ONCE = 255

// a node that gives an event twice must not stop the index
const ORDER = sql(
  `INSERT INTO index_order (chain_id, block, log, tx_id, datatoken, consumer, payer, timestamp, service)
   VALUES (:chainId, :block, :log, :txId, :datatoken, :consumer, :payer, :timestamp, :service) ON CONFLICT DO NOTHING`,
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

/** Returns the statement that adds an order. */
export function insertOrder(chainId: number, datatoken: Address, { serviceIndex, ...order }: StartedOrder): Query {
  return ORDER({ chainId, datatoken, ...order, service: serviceIndex ?? null })
}

/** Returns the statement that adds the reuse of an order, with its consumer. */
export function insertReuse(chainId: number, datatoken: Address, order: ReusedOrder): Query {
  return REUSE({ chainId, datatoken, ...order })
}

/** Deletes some of the orders after a block. Returns false if there were none. */
export function* dropSomeOrders(chainId: number, block: number): Script<boolean> {
  return (yield* run(DROP_LATER({ chainId, block }))).changes > 0
}
