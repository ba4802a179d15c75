import type { IndexChange, StartedOrder } from '../../packages/catalog/src/index/index-store.js'
import { findOrders } from '../../packages/catalog/src/search/orders/find-orders.js'
import { readOrderSearch } from '../../packages/catalog/src/search/orders/order-request.js'
import { runScript } from '../../packages/database/src/script.js'
import type { Query } from '../../packages/database/src/sql.js'

type Order = Extract<IndexChange, { kind: 'order' }>

let count = 0

/** A change by an order of a datatoken, each at a position of its own. */
export function orderOf(datatoken: Order['datatoken'], more: Partial<StartedOrder> = {}): Order {
  count += 1
  const somebody = `0x${'5'.repeat(40)}` as const
  const txId = `0x${count.toString(16).padStart(64, '0')}` as const
  const order = { block: 1, log: count, txId, consumer: somebody, payer: somebody, timestamp: 1, serviceIndex: 0 }
  return { kind: 'order', datatoken, order: { ...order, ...more } }
}

/** The statements that read orders for a search. */
export async function orderStatements(query: object): Promise<Query[]> {
  const found: Query[] = []
  const search = readOrderSearch({ index: 'order', query }, 'enterprise')
  if (!search) throw new Error('It is no search of orders.')
  await runScript(findOrders(search, [1]), async (statement) => {
    if (statement.text.includes('index_reading')) return { rows: [{ id: 1, chain_id: 1, complete: 1 }], changes: 0 }
    found.push(statement)
    return { rows: [{ n: 0 }], changes: 0 }
  })
  return found
}
