import type { IndexChange, StartedOrder } from '../../packages/catalog/src/index/index-store.js'

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
