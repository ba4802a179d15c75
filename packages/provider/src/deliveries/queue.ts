import { randomUUID } from 'node:crypto'
import type { Logger } from '@tidegate/common'
import type { NewProof, ProofStore, QueuedProof } from './delivery-store.js'
import { type Delivery, subjectOf } from './proof.js'
import { backoffAfter, RetryQueue } from './retry-queue.js'
import type { ProofSender } from './sender.js'

/** Maximum attempts. An abandoned proof stays in the database. */
const MAX_ATTEMPTS = 1000

export interface QueueOptions {
  store: ProofStore
  sender: ProofSender
  kinds: readonly QueuedProof['kind'][]
  /** Limit of on-chain proofs per day; 0 is unlimited. */
  chainProofsPerDay: number
  /** Called for each proof above the limit. */
  onRefused: () => void
  log: Logger
}

/**
 * A durable queue of proofs with at-least-once delivery. An on-chain proof costs a transaction: so there is one for each
 * order and file, none for a range, and a limit per day.
 */
export class DeliveryQueue {
  private readonly store: ProofStore
  private readonly sender: ProofSender
  private readonly log: Logger
  private readonly queue: RetryQueue<QueuedProof>

  constructor(private readonly options: QueueOptions) {
    const { store, sender, log } = options
    this.store = store
    this.sender = sender
    this.log = log
    this.queue = new RetryQueue({
      claim: store.claim,
      attempt: (proof) => this.attempt(proof),
      // transactions of an account need consecutive nonces
      isParallel: false,
      name: 'proofs',
      log,
    })
  }

  get enabled(): boolean {
    return this.options.kinds.length > 0
  }

  /** Enqueues the proofs of a delivery. Throws StateError. */
  async add(delivery: Delivery): Promise<void> {
    const { kinds } = this.options
    const proof = () => ({ id: randomUUID(), body: JSON.stringify(delivery) })
    if (kinds.includes('http')) await this.store.add({ ...proof(), kind: 'http' }, Date.now())
    // an on-chain proof needs the signature of the consumer
    if (kinds.includes('chain') && delivery.whole && delivery.consumerSignature !== '')
      await this.addOnChain(delivery, { ...proof(), kind: 'chain' })
    this.queue.kick()
  }

  private async addOnChain(delivery: Delivery, proof: NewProof): Promise<void> {
    const { chainProofsPerDay, onRefused } = this.options
    const outcome = await this.store.addOnce(subjectOf(delivery), chainProofsPerDay, proof, Date.now())
    if (outcome !== 'refused') return
    onRefused()
    const { chainId, orderTxId: order, fileIndex } = delivery
    this.log.warn({ chainId, order, fileIndex }, 'proof of delivery refused: CHAIN_PROOFS_PER_DAY is used up')
  }

  start(): void {
    if (this.enabled) this.queue.start()
  }

  /** Stops the queue after the current batch. */
  stop(): Promise<void> {
    return this.queue.stop()
  }

  private async attempt(proof: QueuedProof): Promise<boolean> {
    const { id, kind, attempts } = proof
    try {
      const isSent = await this.sender.send(proof)
      if (isSent) await this.store.done(id)
      else await this.store.retry(id, Date.now() + backoffAfter(1))
      return true
    } catch (error) {
      const abandoned = attempts >= MAX_ATTEMPTS
      await this.store.retry(id, abandoned ? null : Date.now() + backoffAfter(attempts))
      const reason = (error as Error).message
      this.log.warn({ id, kind, attempts, reason, abandoned }, 'proof of delivery did not arrive')
      return false
    }
  }
}
