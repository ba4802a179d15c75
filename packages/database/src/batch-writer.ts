import { setTimeout as sleep } from 'node:timers/promises'
import { OneThread } from '@tidegate/common'
import type { DatabaseTasks, Outcome } from './batch-worker.js'
import { unavailable } from './fault.js'
import { DATABASE_LIMITS } from './limits.js'
import type { ThreadWork } from './sql.js'

/** Commits batches to the embedded database on a thread, in order. */
export class BatchWriter {
  private readonly thread: OneThread
  /** Settles after all batches. Never rejects. */
  private last: Promise<unknown> = Promise.resolve()
  /** Earliest start of the next batch, as performance.now(). */
  private notBefore = 0
  private closed = false

  /** `path`: the database file, with the current schema. `entry`: `Schema.worker`. */
  constructor(
    private readonly path: string,
    entry: URL,
  ) {
    this.thread = new OneThread({ entry, idle: DATABASE_LIMITS.batches.idle })
  }

  /**
   * Does work in one transaction. Returns the result of its script. `before` runs before the work, and may throw.
   * Rejects with the error of the database.
   */
  commit(work: ThreadWork, before: () => void): Promise<boolean> {
    const done = this.last.then(() => this.run(work, before))
    this.last = done.catch(() => undefined)
    return done
  }

  /** Ends the thread after the current batch. Rejects waiting batches. */
  async close(): Promise<void> {
    this.closed = true
    await this.last
    await this.thread.end()
  }

  private async run(work: ThreadWork, before: () => void): Promise<boolean> {
    const rest = this.notBefore - performance.now()
    if (rest > 0 && !this.closed) await sleep(rest)
    if (this.closed) throw unavailable()
    before()
    const begun = performance.now()
    const input: Parameters<DatabaseTasks['commit']>[0] = { path: this.path, work }
    try {
      // if the thread fails, the batch may have been applied: only the database knows
      const answer = (await this.thread.run('commit', input)) as Outcome
      if ('done' in answer) return answer.done
      const { message, code, isRange } = answer.error
      throw Object.assign(isRange ? new RangeError(message) : new Error(message), { code })
    } finally {
      const ended = performance.now()
      this.notBefore = ended + (ended - begun) * DATABASE_LIMITS.batches.rest
    }
  }
}
