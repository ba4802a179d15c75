import { randomUUID } from 'node:crypto'
import type { Logger } from '@tidegate/common'
import type { NewProof, ProofStore, QueuedProof } from './delivery-store.js'
import { type Delivery, subjectOf } from './proof.js'
import type { ProofSender } from './sender.js'

/** Proofs per batch, and their lease in milliseconds. */
const BATCH = 10
const LEASE = 60_000

/** First and longest backoff between attempts, in milliseconds. */
const FIRST_BACKOFF = 1000
const MAX_BACKOFF = 3_600_000

/** Maximum attempts. An abandoned proof stays in the database. */
const MAX_ATTEMPTS = 1000

/** Milliseconds between polls for due proofs. */
const POLL_INTERVAL = 1000

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
  private timer: NodeJS.Timeout | undefined
  private working: Promise<void> | undefined
  private stopped = false

  constructor(private readonly options: QueueOptions) {
    const { store, sender, log } = options
    this.store = store
    this.sender = sender
    this.log = log
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
    this.kick()
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
    if (!this.enabled) return
    this.timer = setInterval(() => this.kick(), POLL_INTERVAL)
    this.timer.unref()
    this.kick()
  }

  /** Stops the queue after the current batch. */
  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.timer)
    await this.working
  }

  private kick(): void {
    if (this.stopped || this.working) return
    this.working = this.work()
      .catch((error: Error) => this.log.warn({ reason: error.message }, 'proofs cannot be sent'))
      .finally(() => {
        this.working = undefined
      })
  }

  private async work(): Promise<void> {
    while (!this.stopped) {
      const due = await this.store.claim(Date.now(), Date.now() + LEASE, BATCH)
      if (due.length === 0) return
      // one at a time: transactions of an account need consecutive nonces
      for (const proof of due) await this.attempt(proof)
    }
  }

  private async attempt(proof: QueuedProof): Promise<void> {
    const { id, kind, attempts } = proof
    try {
      if (await this.sender.send(proof)) await this.store.done(id)
      else await this.store.retry(id, Date.now() + FIRST_BACKOFF)
    } catch (error) {
      const backoff = Math.min(MAX_BACKOFF, FIRST_BACKOFF * 2 ** Math.min(attempts - 1, 12))
      const abandoned = attempts >= MAX_ATTEMPTS
      await this.store.retry(id, abandoned ? null : Date.now() + backoff)
      const reason = (error as Error).message
      this.log.warn({ id, kind, attempts, reason, abandoned }, 'proof of delivery did not arrive')
    }
  }
}
