import type { Settings } from '../config/schema.js'
import type { QueuedProof } from '../deliveries/delivery-store.js'
import { DeliveryLedger } from '../deliveries/ledger.js'
import { DeliveryQueue } from '../deliveries/queue.js'
import { ProofSender } from '../deliveries/sender.js'
import type { Base } from './base.js'

/** Builds the ledger of deliveries, and the queue of their proofs. */
export async function openDeliveries(
  settings: Settings,
  { store, chains, outbound, metrics, log }: Base,
): Promise<{ proofs: DeliveryQueue; ledger: DeliveryLedger }> {
  const { USE_HTTP_PROOF: receiver, USE_CHAIN_PROOF: onChain } = settings
  // at the start: Node never retries an import that failed, for instance for want of a descriptor
  if (onChain) await import('viem/accounts')
  const proofs = new DeliveryQueue({
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
  return { proofs, ledger }
}

/** The kinds of proofs of delivery that are sent. */
function proofKinds(receiver: string | undefined, onChain: boolean): QueuedProof['kind'][] {
  return [...(receiver ? (['http'] as const) : []), ...(onChain ? (['chain'] as const) : [])]
}
