import type { Settings } from '../config/schema.js'
import type { QueuedProof } from '../deliveries/delivery-store.js'
import { DeliveryLedger } from '../deliveries/ledger.js'
import { DeliveryQueue } from '../deliveries/queue.js'
import { ProofSender } from '../deliveries/sender.js'
import { Downloads } from '../http/files/downloads.js'
import { ByteBudgets } from '../http/limits/byte-budgets.js'
import { ConsumerLimits } from '../http/limits/consumer-limits.js'
import type { RateLimits } from '../http/limits/rate-limits.js'
import { WebhookSender } from '../webhooks/webhook-sender.js'
import { Webhooks } from '../webhooks/webhooks.js'
import type { Base } from './base.js'

/** The parts that record deliveries. */
interface OpenedDeliveries {
  proofs: DeliveryQueue
  ledger: DeliveryLedger
  /** Undefined if WEBHOOK_URL is not set. */
  webhooks: Webhooks | undefined
  downloads: Downloads
  rateLimits: RateLimits
}

/** Builds downloads, the ledger, the proofs and the webhooks of deliveries, and the rate limits that all requests share. */
export async function openDeliveries(
  settings: Settings,
  { store, chains, outbound, metrics, batch, log }: Base,
): Promise<OpenedDeliveries> {
  const { USE_HTTP_PROOF: receiver, USE_CHAIN_PROOF: onChain } = settings
  // at the start: Node never retries a failed import, for example without a free descriptor
  if (onChain) await import('viem/accounts')
  const proofs = new DeliveryQueue({
    store: store.proofs,
    sender: new ProofSender(chains, outbound, receiver, store.proofs),
    kinds: proofKinds(receiver, onChain),
    chainProofsPerDay: settings.CHAIN_PROOFS_PER_DAY,
    onRefused: () => metrics.proofsRefused.inc(),
    log,
  })
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets = [] } = settings
  const webhooks =
    url === undefined
      ? undefined
      : new Webhooks({
          ...{ sales: store.sales, events: store.events, sender: new WebhookSender(url, secrets) },
          ...{ chains: [...chains.keys()], interval: settings.INDEX_POLL_INTERVAL },
          count: (outcome, events) => metrics.webhookEvents.inc({ outcome }, events),
          log,
        })
  const ledger = new DeliveryLedger({
    store: store.deliveries,
    keep: settings.DELIVERIES_KEEP,
    announce: webhooks && ((deliveries) => webhooks.addDeliveries(deliveries)),
    onDropped: () => metrics.deliveriesDropped.inc(),
    log,
  })
  const {
    RATE_LIMIT_BYTES: maxBytes,
    RATE_LIMIT_REQUESTS: maxRequests,
    CONSUMER_STALL_TIMEOUT: stallTimeout,
  } = settings
  const { usage } = store
  const bytes = maxBytes > 0 ? new ByteBudgets(usage, maxBytes) : undefined
  const consumerLimits = new ConsumerLimits(usage, settings)
  const records = { ledger, proofs }
  const downloads = new Downloads({ bytes, consumerLimits, records, metrics, batch, stallTimeout })
  return { proofs, ledger, webhooks, downloads, rateLimits: { maxRequests, usage, bytes } }
}

/** Returns the kinds of proofs of delivery to send. */
function proofKinds(receiver: string | undefined, onChain: boolean): QueuedProof['kind'][] {
  return [...(receiver ? (['http'] as const) : []), ...(onChain ? (['chain'] as const) : [])]
}
