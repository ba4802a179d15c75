import type { Context } from '../context.js'
import type { Order } from '../types.js'
import { PaymentReader } from './payment-reader.js'
import { matched } from './sale.js'

/**
 * Adds the payments of each order (`paid`), from the receipts of their transactions. Throws TidegateError
 * `UNKNOWN_TRANSACTION`, `CHAIN_UNREACHABLE`.
 */
export async function withPayments(context: Context, orders: readonly Order[], signal?: AbortSignal): Promise<Order[]> {
  const found = new Map<Order, Order>()
  for (const chainId of new Set(orders.map((order) => order.chainId))) {
    const own = orders.filter((order) => order.chainId === chainId)
    const reader = await PaymentReader.of(context, chainId)
    for (const { row, order } of matched(own, await reader.ordersOfAll(own, signal)))
      found.set(row, { ...row, paid: await reader.paid(order) })
  }
  return orders.map((order) => found.get(order) ?? order)
}
