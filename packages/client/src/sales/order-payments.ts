import type { Context } from '../context.js'
import type { Order } from '../types.js'
import { PaymentReader } from './payment-reader.js'

/**
 * Adds the payments of each order (`paid`), from the receipts of their transactions. Throws TidegateError
 * `UNKNOWN_TRANSACTION`, `CHAIN_UNREACHABLE`.
 */
export async function withPayments(context: Context, orders: readonly Order[], signal?: AbortSignal): Promise<Order[]> {
  const found: Order[] = []
  for (const chainId of new Set(orders.map((order) => order.chainId))) {
    const own = orders.filter((order) => order.chainId === chainId)
    const reader = await PaymentReader.of(context, chainId)
    const paid = await reader.ordersOfAll(
      own.map(({ tx }) => tx),
      signal,
    )
    for (const order of own) {
      const list = paid.get(order.tx) ?? []
      // the newest is first, in the list of orders
      const at = list.findLastIndex(
        ({ datatoken, consumer }) => datatoken === order.datatoken && consumer === order.consumer,
      )
      const [match] = at < 0 ? [] : list.splice(at, 1)
      found.push(match ? { ...order, paid: await reader.paid(match) } : order)
    }
  }
  return found
}
