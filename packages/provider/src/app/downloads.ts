import type { Settings } from '../config/schema.js'
import { Downloads } from '../http/files/downloads.js'
import type { DeliveryRecords } from '../http/files/record.js'
import { ByteBudgets } from '../http/limits/byte-budgets.js'
import { ConsumerLimits } from '../http/limits/consumer-limits.js'
import type { RateLimits } from '../http/limits/rate-limits.js'
import type { Base } from './base.js'

/** Builds the sending of files, and the limits per address that it shares with all requests. */
export function openDownloads(
  settings: Settings,
  { store, metrics, batch }: Base,
  records: DeliveryRecords,
): { downloads: Downloads; rateLimits: RateLimits } {
  const { usage } = store
  const { RATE_LIMIT_BYTES: maxBytes, RATE_LIMIT_REQUESTS: maxRequests } = settings
  const bytes = maxBytes > 0 ? new ByteBudgets(usage, maxBytes) : undefined
  const consumerLimits = new ConsumerLimits(usage, settings)
  const stallTimeout = settings.CONSUMER_STALL_TIMEOUT
  return {
    downloads: new Downloads({ bytes, consumerLimits, records, metrics, batch, stallTimeout }),
    rateLimits: { maxRequests, usage, bytes },
  }
}
