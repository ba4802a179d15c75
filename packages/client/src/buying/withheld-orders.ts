import type { Address } from 'viem'
import { servedDocument } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { indexedOrders } from '../sales/indexed-orders.js'
import type { Order } from '../types.js'
import type { StartedOrder } from './order-logs.js'

/** Most assets that are asked for. */
const MOST = 20

/**
 * Returns those of some orders whose assets the provider has taken down: searches find no such asset, and the buyer keeps the record.
 * Name and service are unknown.
 */
export async function takenDownOrders(
  context: Context,
  { consumer, chainId }: { consumer: Address; chainId: number },
  orders: readonly StartedOrder[],
): Promise<Order[]> {
  if (orders.length === 0) return []
  const rows = await indexedOrders(context, [{ term: { consumer } }, { term: { chainId } }])
  const didOf = new Map(rows.map(({ tx, datatoken, did }) => [tx + datatoken, did]))
  const known = orders.map((order) => ({ order, did: didOf.get(order.tx + order.datatoken) ?? '' }))
  const reasons = new Map<string, string>()
  for (const did of [...new Set(known.map((one) => one.did))].filter(Boolean).slice(0, MOST)) {
    const reason = await refusalOf(context, did)
    if (reason !== undefined) reasons.set(did, reason)
  }
  return known.flatMap(({ order: { tx, datatoken, payer, time: started }, did }) => {
    const refused = reasons.get(did)
    if (refused === undefined) return []
    return [{ tx, chainId, did, name: '', service: '', datatoken, consumer, payer, started, refused }]
  })
}

/** Returns the reason of the takedown of an asset; undefined if it is not taken down. */
async function refusalOf(context: Context, did: string): Promise<string | undefined> {
  try {
    await servedDocument(context, did)
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    if (error.code === 'TAKEN_DOWN') return error.message
  }
  return undefined
}
