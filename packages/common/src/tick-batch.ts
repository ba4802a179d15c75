/**
 * Batches work of one event loop tick. The statements of a tick share a lock and a commit. Its responses are written
 * together, so that a client wakes up once. Statements run first: their responses leave in the same tick.
 * Reasons: docs/decisions/2026-11-29-batched-ticks.md.
 */
export class TickBatch {
  private readonly queues = { statements: [] as (() => void)[], responses: [] as (() => void)[] }
  private scheduled = false
  /** Connection of the last request. */
  private connection: object | undefined
  private streak = 0

  /** Runs work at the end of the tick. */
  add(queue: 'statements' | 'responses', work: () => void): void {
    this.queues[queue].push(work)
    this.schedule()
  }

  /** Like `add`, but runs the work at once if only one connection is active: batching would only add latency. */
  addIfShared(queue: 'statements' | 'responses', work: () => void): void {
    if (this.isSingle) work()
    else this.add(queue, work)
  }

  /** Like `add`, but one tick later if several connections are active: their work shares, for example, a commit. */
  addLater(queue: 'statements' | 'responses', work: () => void): void {
    if (this.isSingle) this.add(queue, work)
    else setImmediate(() => this.add(queue, work))
  }

  /** Whether the last requests came over one connection. */
  get isSingle(): boolean {
    return this.streak >= SINGLE_CLIENT_STREAK
  }

  /** Records the connection of a request. */
  requestFrom(connection: object): void {
    this.streak = connection === this.connection ? this.streak + 1 : 0
    this.connection = connection
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => this.flush('statements'))
    setImmediate(() => this.flush('responses'))
  }

  private flush(queue: 'statements' | 'responses'): void {
    const batch = this.queues[queue]
    this.queues[queue] = []
    if (queue === 'responses') {
      // later work belongs to the next tick, also statements added between the two flushes
      this.scheduled = false
      if (this.queues.statements.length > 0) this.schedule()
    }
    for (const work of batch) {
      try {
        work()
      } catch (error) {
        // one failure must not drop the rest of the batch, so it is thrown in a tick of its own
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}

/** Consecutive requests over one connection after which it counts as the only active one. */
const SINGLE_CLIENT_STREAK = 8
