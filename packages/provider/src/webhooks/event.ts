import type { SaleChange } from '@tidegate/catalog'
import type { Delivery } from '../deliveries/open-deliveries.js'

/** The body of a webhook. */
export interface WebhookEvent {
  /** The same in each attempt, and on each instance. */
  id: string
  type: `order.${SaleChange['kind']}` | 'delivery.completed' | 'webhook.test'
  /** Seconds since 1970. */
  created: number
  data: object
}

/** Returns an event that is created now. */
const eventNow = (type: WebhookEvent['type'], key: string, data: object): WebhookEvent => ({
  id: `${type}:${key}`,
  type,
  created: Math.floor(Date.now() / 1000),
  data,
})

/** Returns the event of an order. */
export function orderEvent({ kind, order }: SaleChange): WebhookEvent {
  const { chainId, orderId, position } = order
  return eventNow(`order.${kind}`, `${chainId}:${orderId}:${position}`, order)
}

/** Returns the event of a delivery, whose id is that of its row in reports. */
export function deliveryEvent({ row, onlyRanges }: Delivery): WebhookEvent {
  const { id, at, chainId, did, nft, service, file, consumer, orderTx, bytes, hostedBy } = row
  return eventNow('delivery.completed', `${id}`, {
    ...{ orderId: orderTx, timestamp: Math.floor(at / 1000), consumer, nftAddress: nft, did, serviceId: service },
    // as in requests, where an archive of all files has no index
    ...(file < 0 ? {} : { fileIndex: file }),
    ...{ bytes, whole: !onlyRanges, chainId },
    ...(hostedBy === undefined ? {} : { hostedBy }),
  })
}

/** Returns an event that asks whether the receiver takes events. */
export const testEvent = (): WebhookEvent => eventNow('webhook.test', `${Date.now()}`, {})
