import type { Tinypool } from 'tinypool'
import { MAX_TIMER } from './constants.js'
import { COMMON_LIMITS } from './limits.js'
import { threadPool } from './thread-pool.js'

export interface OneThreadOptions {
  /** Module of the thread. Its exports are synchronous tasks that do not throw; `end` runs last. */
  entry: URL
  /** Milliseconds without a task after which the thread ends. */
  idle: number
}

/**
 * A thread for trusted code. It starts with its first task. It is never terminated within a task: in native code that
 * aborts the process. The idle time is measured here, since the pool could give a task to an ending thread.
 */
export class OneThread {
  private pool: Tinypool | undefined
  /** The pool whose thread has answered once. */
  private warm: Tinypool | undefined
  private tasks = 0
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: OneThreadOptions) {}

  /** Whether the thread is running. */
  get isReady(): boolean {
    return this.pool !== undefined && this.pool === this.warm
  }

  /** Runs a task after earlier ones. Rejects if the thread does not start or fails; the next task starts another thread. */
  async run(task: string, input: unknown, transferList: ArrayBuffer[] = []): Promise<unknown> {
    clearTimeout(this.timer)
    const pool = this.pool ?? this.start()
    this.tasks += 1
    try {
      const result = await resultOf(pool, task, input, transferList)
      this.warm = pool
      return result
    } catch (error) {
      // all tasks in the thread fail
      pool.emit('error', error)
      throw error
    } finally {
      this.tasks -= 1
      if (this.tasks === 0) {
        for (const thread of pool.threads) thread.unref?.()
        this.timer = setTimeout(() => void this.end(), this.options.idle).unref()
      }
    }
  }

  /** Ends the thread after its tasks. */
  async end(): Promise<void> {
    clearTimeout(this.timer)
    const { pool } = this
    if (!pool) return
    this.forget(pool)
    await resultOf(pool, 'end').catch(() => undefined)
    await pool.destroy()
  }

  private start(): Tinypool {
    const pool = threadPool(this.options.entry, {
      maxThreads: 1,
      idleTimeout: MAX_TIMER,
      concurrentTasksPerWorker: Number.POSITIVE_INFINITY,
      resourceLimits: { maxYoungGenerationSizeMb: COMMON_LIMITS.thread.youngGeneration },
    })
    // each task adds a listener
    pool.setMaxListeners(0).on('error', () => this.forget(pool))
    this.pool = pool
    return pool
  }

  private forget(pool: Tinypool): void {
    if (this.pool === pool) this.pool = undefined
  }
}

/** Runs a task and keeps the process alive meanwhile. The pool itself never settles tasks of a thread that does not start. */
function resultOf(pool: Tinypool, name: string, input?: unknown, transferList: ArrayBuffer[] = []): Promise<unknown> {
  return new Promise((resolve, reject) => {
    pool.once('error', reject)
    pool
      .run(input, { name, transferList })
      .finally(() => pool.off('error', reject))
      .then(resolve, reject)
    for (const thread of pool.threads) thread.ref?.()
  })
}
