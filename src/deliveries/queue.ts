import { randomUUID } from 'node:crypto'
import type { Logger } from '../logger.js'
import type { NewProof, ProofStore, QueuedProof } from '../state/store.js'
import { type Delivery, subjectOf } from './proof.js'
import type { ProofSender } from './sender.js'

/** How many proofs are sent at once, and for how long nobody else takes them, in milliseconds. */
const BATCH = 10
const LEASE = 60_000

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 3_600_000

/** Attempts after which a proof is left in the database and not tried again. */
const MAX_ATTEMPTS = 1000

/** Milliseconds between two looks at what is due. */
const POLL = 1000

export interface QueueOptions {
  store: ProofStore
  sender: ProofSender
  kinds: readonly QueuedProof['kind'][]
  /** Most proofs on the chain in a day; 0 is without limit. */
  chainProofsPerDay: number
  /** Told of each proof that the limit refused. */
  onRefused: () => void
  log: Logger
}

/**
 * Deliveries that have to be proven, kept in the database until their proof has arrived: a proof may arrive twice, but
 * none is lost, whatever ends in between. Those on the chain cost the provider a transaction each: there is one for an
 * order and file, however often it is downloaded, none for parts, and so many in a day.
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

  /** Puts a delivery in the queue. Throws StateError. */
  async add(delivery: Delivery): Promise<void> {
    const { kinds } = this.options
    const proof = () => ({ id: randomUUID(), body: JSON.stringify(delivery) })
    if (kinds.includes('http')) await this.store.add({ ...proof(), kind: 'http' }, Date.now())
    // a transaction proves only what the consumer has signed
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
    this.timer = setInterval(() => this.kick(), POLL)
    this.timer.unref()
    this.kick()
  }

  /** Ends after what is being sent. */
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
      // one after the other: transactions of one account have an order
      for (const proof of due) await this.attempt(proof)
    }
  }

  private async attempt(proof: QueuedProof): Promise<void> {
    const { id, kind, attempts } = proof
    try {
      if (await this.sender.send(proof)) await this.store.done(id)
      else await this.store.retry(id, Date.now() + FIRST_PAUSE)
    } catch (error) {
      const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(attempts - 1, 12))
      const given = attempts >= MAX_ATTEMPTS
      await this.store.retry(id, given ? null : Date.now() + pause)
      this.log.warn({ id, kind, attempts, reason: (error as Error).message, given }, 'proof of delivery did not arrive')
    }
  }
}
