import { describe, type Served } from '@tidegate/protocol/asset'
import type { Hex } from 'viem'
import type { IndexedOrder } from './indexed-orders.js'
import type { PaidOrder } from './orders-in.js'
import type { PaymentReader } from './payment-reader.js'
import type { Sale } from './types.js'

type Row = Pick<IndexedOrder, 'tx' | 'datatoken' | 'consumer'>

/** Pairs rows, the newest first, with the orders of their transactions. Leaves out rows without an order. */
export function matched<R extends Row>(
  rows: readonly R[],
  orders: ReadonlyMap<Hex, readonly PaidOrder[]>,
): { row: R; order: PaidOrder }[] {
  const left = new Map([...orders].map(([tx, list]) => [tx, [...list]]))
  return rows.flatMap((row) => {
    const list = left.get(row.tx) ?? []
    const isOwn = ({ datatoken, consumer, renews }: PaidOrder) =>
      datatoken === row.datatoken && (renews !== undefined || consumer === row.consumer)
    const at = list.findLastIndex(isOwn)
    const [order] = at < 0 ? [] : list.splice(at, 1)
    return order ? [{ row, order }] : []
  })
}

/** Returns a sale of its row, its order and its document; undefined document: the index hides the asset. */
export async function saleOf(
  reader: PaymentReader,
  { tx, chainId, did, consumer }: IndexedOrder,
  order: PaidOrder,
  served: Served | undefined,
): Promise<Sale> {
  const { datatoken, payer, time, renews, serviceIndex } = order
  const services = served?.services.filter((one) => one.datatoken === datatoken) ?? []
  const service = serviceIndex === undefined ? services[0] : services.find(({ index }) => index === serviceIndex)
  return {
    tx,
    chainId,
    did,
    name: served ? describe(served).name : '',
    ...(service ? { service: service.id } : {}),
    datatoken,
    consumer,
    payer,
    time,
    ...(renews ? { renews } : {}),
    ...(await reader.paid(order)),
  }
}
