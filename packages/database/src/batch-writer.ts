import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { loaderFor } from '@tidegate/common'
import type { Order, Outcome } from './batch-worker.js'
import { unavailable } from './fault.js'
import type { ThreadWork } from './sql.js'

/** Milliseconds without a batch after which the thread ends. */
const IDLE = 30_000

/**
 * The pause after each batch, as a fraction of the time that it took: other processes poll for the write lock, and must not
 * starve.
 */
const REST = 0.25

/** Commits batches to the embedded database on a thread, one after the other. It starts with the first one. */
export class BatchWriter {
  private thread: Worker | undefined
  private timer: NodeJS.Timeout | undefined
  /** The batches that are under way or wait, as one promise that never rejects. */
  private last: Promise<unknown> = Promise.resolve()
  /** Time of performance.now() before which the next one must not start. */
  private notBefore = 0
  private current: Promise<void> | undefined
  private closed = false

  /** `path`: the database file, which exists and has the current schema. `entry`: see `Schema.worker`. */
  constructor(
    private readonly path: string,
    private readonly entry: URL,
  ) {}

  /**
   * Settles when no batch is being written any more; undefined where none is. A write on another connection would wait for it on
   * the event loop.
   */
  get writing(): Promise<void> | undefined {
    return this.current
  }

  /**
   * Does work in one transaction. Returns the result of its script. `before` is called when its turn comes, and may throw.
   * Rejects with the error of the database.
   */
  commit(work: ThreadWork, before: () => void): Promise<boolean> {
    const done = this.last.then(() => this.run(work, before))
    this.last = done.catch(() => undefined)
    return done
  }

  /** Waits for the batch that is being written, and ends the thread. Those that wait are rejected. */
  async close(): Promise<void> {
    this.closed = true
    await this.last
    await this.end()
  }

  private async run(work: ThreadWork, before: () => void): Promise<boolean> {
    const rest = this.notBefore - performance.now()
    if (rest > 0 && !this.closed) await sleep(rest)
    if (this.closed) throw unavailable()
    before()
    const begun = performance.now()
    const outcome = this.ask(work)
    const current = outcome.then(
      () => undefined,
      () => undefined,
    )
    this.current = current
    try {
      const answer = await outcome
      if ('done' in answer) return answer.done
      const { message, code, isRange } = answer.error
      throw Object.assign(isRange ? new RangeError(message) : new Error(message), { code })
    } finally {
      this.current = undefined
      const ended = performance.now()
      this.notBefore = ended + (ended - begun) * REST
    }
  }

  private ask(work: ThreadWork): Promise<Outcome> {
    clearTimeout(this.timer)
    this.thread ??= this.start()
    const { thread } = this
    thread.ref()
    return new Promise<Outcome>((resolve, reject) => {
      const settle = (by: () => void) => {
        thread.off('message', onMessage).off('error', onError).off('exit', onEnd)
        by()
      }
      const onMessage = (outcome: Outcome) => {
        thread.unref()
        this.timer = setTimeout(() => void this.end(), IDLE).unref()
        settle(() => resolve(outcome))
      }
      // whether the batch was applied is not known: the cursor tells
      const onEnd = () =>
        settle(() => reject(Object.assign(new Error('The thread has ended.'), { code: 'THREAD_ENDED' })))
      // such as a database that it cannot open
      const onError = (error: Error) => settle(() => reject(error))
      thread.on('message', onMessage).on('error', onError).on('exit', onEnd)
      thread.postMessage(work satisfies Order)
    })
  }

  private start(): Worker {
    const entry = this.entry
    // the environment holds keys, which the thread does not need
    const thread = new Worker(entry, { workerData: this.path, env: {}, execArgv: loaderFor(entry) })
    const forget = () => {
      if (this.thread === thread) this.thread = undefined
    }
    return thread.on('error', forget).on('exit', forget)
  }

  private async end(): Promise<void> {
    const { thread } = this
    if (!thread) return
    this.thread = undefined
    clearTimeout(this.timer)
    thread.ref()
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    thread.postMessage(undefined satisfies Order)
    await ended
  }
}
