/**
 * Batches work within one tick of the event loop. Statements of a tick share a lock and a commit; its responses are
 * written one after the other, so that a client waiting for several is woken once. Statements run first, so that the
 * responses they make possible leave in the same tick.
 */
export class TickBatch {
  private readonly queues = { statements: [] as (() => void)[], responses: [] as (() => void)[] }
  private scheduled = false
  /** The connection of the last request, and the number of consecutive requests over it. */
  private connection: object | undefined
  private streak = 0

  /** Runs a piece of work at the end of the tick. */
  add(queue: 'statements' | 'responses', work: () => void): void {
    this.queues[queue].push(work)
    this.schedule()
  }

  /**
   * As `add`, but runs the work at once while a single connection is active: waiting costs latency and gains nothing.
   */
  addIfShared(queue: 'statements' | 'responses', work: () => void): void {
    if (this.isSingle) work()
    else this.add(queue, work)
  }

  /**
   * As `add`, but one tick later while several connections are active: whatever they have sent meanwhile shares the work, such as
   * a commit.
   */
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
      // work added from here on belongs to the next tick, as do statements added between the two flushes
      this.scheduled = false
      if (this.queues.statements.length > 0) this.schedule()
    }
    for (const work of batch) {
      try {
        work()
      } catch (error) {
        // thrown as if the work had run alone: one failure must not drop the rest of the batch
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}

/** After this many consecutive requests over one connection, it is most likely the only active one. */
const SINGLE_CLIENT_STREAK = 8
