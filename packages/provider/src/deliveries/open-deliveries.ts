import { createHash, randomInt } from 'node:crypto'
import { RANDOM_IDS } from '@tidegate/database'
import { upTo } from '@tidegate/protocol'
import { HOUR } from '@tidegate/protocol/constants'
import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../limits.js'
import type { DeliveryRow, RangeClaim } from './delivery-store.js'

/** A transfer that has ended, of a whole file or of a range. */
export interface Transferred extends Omit<DeliveryRow, 'id' | 'continues'> {
  /** Start of the transfer, in milliseconds since 1970. */
  begun: number
  /** Whether a part of the file was requested. */
  isRange: boolean
}

/** A delivery, with the state that further transfers of its file need. */
export interface Delivery {
  row: DeliveryRow
  begun: number
  /** Whether it has no transfer of the whole file. */
  onlyRanges: boolean
  /** The claim of a delivery that begins with a range: another instance may count it already. Undefined after it is made. */
  claim: RangeClaim | undefined
  /** Whether its event is queued. */
  isAnnounced?: boolean
}

/**
 * Deliveries of the last hour. A range belongs to the delivery of its file that began within an hour before it. Programs
 * also begin with the whole file and add ranges that end earlier: that is one delivery too.
 */
export class OpenDeliveries {
  private readonly open = new LRUCache<string, Delivery>(upTo(PROVIDER_LIMITS.ledger.openDeliveries))

  /** Adds a transfer to its delivery, by its key. Returns undefined if the transfer begins a new one. */
  extend(key: string, transferred: Transferred): Delivery | undefined {
    const { begun, isRange, bytes, complete } = transferred
    const delivery = this.open.get(key)
    if (!delivery) return undefined
    const belongs = isRange ? begun < delivery.begun + HOUR : delivery.onlyRanges && begun <= delivery.begun
    if (!belongs) return undefined
    delivery.row.bytes += bytes
    delivery.row.complete ||= complete
    delivery.onlyRanges &&= isRange
    return delivery
  }

  /** Begins a delivery, by its key. */
  begin(key: string, transferred: Transferred): Delivery {
    const { begun, isRange } = transferred
    const row: DeliveryRow = { id: randomInt(RANDOM_IDS), ...transferred }
    const claim = isRange ? { subject: subjectOf(key), id: row.id, begun } : undefined
    const delivery = { row, begun, onlyRanges: isRange, claim }
    this.open.set(key, delivery)
    return delivery
  }
}

/** Returns the key of the delivery that a transfer belongs to. */
export function deliveryKey({ chainId, orderTx, consumer, file, did, hostedBy, service }: Transferred): string {
  // the service last: it is untrusted text
  return `${chainId} ${orderTx} ${consumer} ${file} ${did} ${hostedBy} ${service}`
}

const subjectOf = (key: string) => createHash('sha256').update(key).digest('hex')
