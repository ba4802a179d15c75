import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@tidegate/common'
import { UnstorableError, upTo } from '@tidegate/protocol'
import { DAY } from '@tidegate/protocol/constants'
import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../limits.js'
import type { DeliveryRow, DeliveryStore, OrderFee } from './delivery-store.js'
import { type Delivery, deliveryKey, OpenDeliveries, type Transferred } from './open-deliveries.js'

const LIMITS = PROVIDER_LIMITS.ledger

export interface LedgerOptions {
  store: Pick<DeliveryStore, 'add' | 'claim' | 'purge'>
  /** The retention period in days; 0 keeps nothing. */
  keep: number
  /** Queues the events of deliveries that are recorded as complete for the first time. Throws StateError. */
  announce?: ((deliveries: readonly Delivery[]) => Promise<void>) | undefined
  /** Called for each dropped row: the queue is full, or the database rejects the row. */
  onDropped: () => void
  log: Logger
}

/**
 * Records deliveries and fees for reports. Rows wait in a bounded queue until a batch is full or a short time has
 * passed, so that no download waits for the database. A crash loses the queue; its rows are also in the log.
 */
export class DeliveryLedger {
  private readonly open = new OpenDeliveries()
  /** Deliveries with unwritten bytes. */
  private readonly deliveries = new Set<Delivery>()
  private fees: OrderFee[] = []
  /** Recently recorded fees. Each download verifies its order again. */
  private readonly known = new LRUCache<string, true>(upTo(LIMITS.knownFees))
  private timer: NodeJS.Timeout | undefined
  private purgeTimer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private purging: Promise<void> | undefined
  private stopped = false
  /** Whether the last batch failed. */
  private failed = false
  private isFlushing = false
  private allDropped = 0
  private loggedDropped = 0

  constructor(private readonly options: LedgerOptions) {}

  /** Records a transfer: as a delivery, or with its bytes in the delivery that it belongs to. Never throws. */
  recordDelivery(transferred: Transferred): void {
    if (this.options.keep === 0) return
    // the open deliveries bound the queue as well
    const key = deliveryKey(transferred)
    const delivery =
      this.open.extend(key, transferred) ?? (this.isFull() ? undefined : this.open.begin(key, transferred))
    if (delivery) this.deliveries.add(delivery)
    else this.drop()
    this.schedule()
  }

  /** Records the fees of a verified order. Idempotent; never throws. */
  recordFees(fees: readonly OrderFee[]): void {
    for (const fee of fees) {
      const key = `${fee.chainId} ${fee.txId} ${fee.datatoken} ${fee.position}`
      // the order may be older than the retention period
      if (this.known.has(key) || fee.at < this.oldest()) continue
      if (this.isFull()) {
        this.drop()
        continue
      }
      this.known.set(key, true)
      this.fees.push(fee)
      this.schedule()
    }
  }

  /** Starts the purge of old rows. */
  start(): void {
    this.purgeTimer = setInterval(() => this.purge(), LIMITS.purgeInterval).unref()
    this.purge()
  }

  /** Writes the queue. Resolves after success or failure. */
  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.purgeTimer)
    clearTimeout(this.timer)
    this.write()
    await Promise.all([this.writing, this.purging])
  }

  private oldest(): number {
    const { keep } = this.options
    return keep === 0 ? Number.POSITIVE_INFINITY : Date.now() - keep * DAY
  }

  private drop(): void {
    this.allDropped += 1
    this.options.onDropped()
  }

  private get queued(): number {
    return this.deliveries.size + this.fees.length
  }

  private isFull(): boolean {
    return this.queued >= LIMITS.queue
  }

  private schedule(): void {
    if (this.stopped) return
    // after a failure, only the timer writes
    if (this.queued >= LIMITS.batch && !this.isFlushing && !this.failed) this.write()
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.write()
    }, LIMITS.flushInterval).unref()
  }

  /** Writes the queue after the current write. */
  private write(): void {
    this.isFlushing = true
    this.writing = this.writing
      .then(() => this.flush())
      .then(
        () => this.flushed(false),
        (error: Error) => {
          this.flushed(true)
          // the store has logged the reason; the next write repeats the rows
          this.options.log.debug({ reason: error.message }, 'deliveries cannot be written now')
          this.schedule()
        },
      )
  }

  private flushed(failed: boolean): void {
    this.isFlushing = false
    this.failed = failed
  }

  private async flush(): Promise<void> {
    try {
      await this.writeAll()
    } finally {
      const dropped = this.allDropped - this.loggedDropped
      if (dropped > 0) this.options.log.warn({ dropped, inAll: this.allDropped }, 'deliveries are missing from reports')
      this.loggedDropped = this.allDropped
    }
  }

  private async writeAll(): Promise<void> {
    // rows that arrive meanwhile wait for a full batch or the timer: a commit of a few costs as much as one of many
    let left = this.queued
    while (this.queued > 0 && (left > 0 || this.queued >= LIMITS.batch || this.stopped)) {
      const deliveries = firstOf(this.deliveries, LIMITS.batch)
      const fees = this.fees.slice(0, LIMITS.batch)
      left -= deliveries.length + fees.length
      // a transfer that ends during the write queues its delivery again
      for (const delivery of deliveries) this.deliveries.delete(delivery)
      try {
        await Promise.all(deliveries.map((delivery) => this.claim(delivery)))
        await this.add(
          deliveries.map(({ row }) => row),
          fees,
        )
        await this.announce(deliveries)
      } catch (error) {
        for (const delivery of deliveries) this.deliveries.add(delivery)
        throw error
      }
      this.fees.splice(0, fees.length)
    }
  }

  private async announce(deliveries: readonly Delivery[]): Promise<void> {
    const { announce } = this.options
    if (!announce) return
    const complete = deliveries.filter(({ row, isAnnounced }) => row.complete && !row.continues && !isAnnounced)
    await announce(complete)
    for (const delivery of complete) delivery.isAnnounced = true
  }

  /** Finds out whether another instance, or an earlier process, counts a delivery that begins with a range. */
  private async claim(delivery: Delivery): Promise<void> {
    if (!delivery.claim) return
    const { id, begun } = await this.options.store.claim(delivery.claim)
    if (id !== delivery.row.id) {
      delivery.row.continues = true
      delivery.begun = begun
    }
    delivery.claim = undefined
  }

  private async add(deliveries: DeliveryRow[], fees: OrderFee[]): Promise<void> {
    try {
      await this.options.store.add(deliveries, fees)
    } catch (error) {
      if (!(error instanceof UnstorableError)) throw error
      // one rejected row must not hold back the others
      for (const delivery of deliveries) await this.addAlone([delivery], [])
      for (const fee of fees) await this.addAlone([], [fee])
    }
  }

  private async addAlone(deliveries: DeliveryRow[], fees: OrderFee[]): Promise<void> {
    await this.options.store.add(deliveries, fees).catch((error: unknown) => {
      if (!(error instanceof UnstorableError)) throw error
      this.drop()
    })
  }

  private purge(): void {
    this.purging ??= this.purgeOld()
      .catch((error: Error) => this.options.log.debug({ reason: error.message }, 'deliveries cannot be deleted now'))
      .finally(() => {
        this.purging = undefined
      })
  }

  /** Deletes in small batches with pauses, so that requests do not wait for the database. */
  private async purgeOld(): Promise<void> {
    const before = Math.min(this.oldest(), Number.MAX_SAFE_INTEGER)
    while (!this.stopped && (await this.options.store.purge(before, LIMITS.purgeBatch)) > 0)
      await sleep(LIMITS.purgePause, undefined, { ref: false })
  }
}

function firstOf<T>(all: Iterable<T>, most: number): T[] {
  const first: T[] = []
  for (const one of all) {
    if (first.length === most) break
    first.push(one)
  }
  return first
}
