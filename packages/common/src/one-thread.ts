import { Tinypool } from 'tinypool'
import { loaderFor } from './thread-module.js'

/** The maximum of a timer, in milliseconds. */
const NEVER = 2_147_483_647

export interface OneThreadOptions {
  /** The module of the thread. Its exported functions are tasks, synchronous, which do not throw. `end` is the last one. */
  entry: URL
  /** Milliseconds without a task after which the thread ends. */
  idle: number
}

/**
 * One thread for trusted code, which starts with its first task. It is never terminated within a task: in native code, that aborts
 * the process. So its idle time is measured here: the pool could give a task to the thread that it is ending.
 */
export class OneThread {
  private pool: Tinypool | undefined
  /** The pool whose thread has answered. */
  private warm: Tinypool | undefined
  private tasks = 0
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: OneThreadOptions) {}

  /** Whether a task need not wait for the thread to start. */
  get isReady(): boolean {
    return this.pool !== undefined && this.pool === this.warm
  }

  /** Runs a task after those before it. Rejects if the thread does not start or fails; the next task starts another. */
  async run(task: string, input: unknown, transferList: ArrayBuffer[] = []): Promise<unknown> {
    clearTimeout(this.timer)
    const pool = this.pool ?? this.start()
    this.tasks += 1
    try {
      const result = await resultOf(pool, task, input, transferList)
      this.warm = pool
      return result
    } catch (error) {
      // the tasks that wait for the same thread fail as well
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
    const { entry } = this.options
    const pool = new Tinypool({
      filename: entry.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: NEVER,
      concurrentTasksPerWorker: Number.POSITIVE_INFINITY,
      // a thread must not block while it waits: in the source tree, its module loader communicates with another thread
      useAtomics: false,
      // the environment holds keys, which tasks do not need
      env: {},
      execArgv: loaderFor(entry),
    })
    // each task listens for it
    pool.setMaxListeners(0).on('error', () => this.forget(pool))
    this.pool = pool
    return pool
  }

  private forget(pool: Tinypool): void {
    if (this.pool === pool) this.pool = undefined
  }
}

/** Runs a task, and keeps the process alive meanwhile. The pool itself does not settle tasks of a thread that does not start. */
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
