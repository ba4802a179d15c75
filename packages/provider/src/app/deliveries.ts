import type { Chains } from '@tidegate/chain'
import type { Logger, Outbound } from '@tidegate/common'
import type { Settings } from '../config/schema.js'
import type { QueuedProof } from '../deliveries/delivery-store.js'
import { DeliveryLedger } from '../deliveries/ledger.js'
import { DeliveryQueue } from '../deliveries/queue.js'
import { ProofSender } from '../deliveries/sender.js'
import type { Metrics } from '../metrics/metrics.js'
import type { StateStore } from '../state/stores.js'

interface Parts {
  store: StateStore
  chains: Chains
  outbound: Outbound
  metrics: Metrics
  log: Logger
}

/** Builds the ledger of deliveries, and the queue of their proofs. */
export async function openDeliveries(
  settings: Settings,
  { store, chains, outbound, metrics, log }: Parts,
): Promise<{ deliveries: DeliveryQueue; ledger: DeliveryLedger }> {
  const { USE_HTTP_PROOF: receiver, USE_CHAIN_PROOF: onChain } = settings
  // at the start: Node never loads again what it could not load once, for instance for want of a descriptor
  if (onChain) await import('viem/accounts')
  const deliveries = new DeliveryQueue({
    store: store.proofs,
    sender: new ProofSender(chains, outbound, receiver, store.proofs),
    kinds: proofKinds(receiver, onChain),
    chainProofsPerDay: settings.CHAIN_PROOFS_PER_DAY,
    onRefused: () => metrics.proofsRefused.inc(),
    log,
  })
  const ledger = new DeliveryLedger({
    store: store.deliveries,
    keep: settings.DELIVERIES_KEEP,
    onDropped: () => metrics.deliveriesDropped.inc(),
    log,
  })
  return { deliveries, ledger }
}

/** The kinds of proofs of delivery that are sent. */
function proofKinds(receiver: string | undefined, onChain: boolean): QueuedProof['kind'][] {
  return [...(receiver ? (['http'] as const) : []), ...(onChain ? (['chain'] as const) : [])]
}
