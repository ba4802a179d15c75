import type { Tinypool } from 'tinypool'
import { Deadline } from '../deadline.js'
import { COMMON_LIMITS } from '../limits.js'
import { type QueueOptions, Semaphore } from '../semaphore.js'
import { threadPool } from '../thread-pool.js'
import {
  endedWithItsThread,
  failureOf,
  overloaded,
  SandboxCrash,
  SandboxTimeout,
  stopping,
  threadUnavailable,
} from './failures.js'
import { afterWork } from './work-timer.js'

/** The exported functions of a thread module, by name. Arguments and results are structured clones. */
export type Tasks = Record<string, (input: never) => unknown>

export interface SandboxOptions {
  /** The thread module. */
  entry: URL
  threads?: number
  /** Milliseconds without work before a thread stops. */
  idleTimeout?: number
  /** Tasks in the queue. */
  queue?: number
  /** MiB of a thread's heap. */
  memory?: number
  /** Milliseconds of processor time for a task. Default of `RunOptions.deadline`. */
  deadline?: number
  /** Called with the error code if a thread or a task ends unexpectedly. */
  onCrash?: (code: string) => void
}

export interface RunOptions extends QueueOptions {
  /** Milliseconds of processor time after queueing, including the start of a thread (`afterWork`). */
  deadline?: number | undefined
}

type Thread = Tinypool['threads'][number]

/**
 * Threads for untrusted input, with a deadline and a memory limit. A thread starts with a task and stops when idle; at
 * the deadline it is terminated. The memory limit is a second defence: a single huge allocation crashes the whole
 * process, so tasks bound their input first.
 */
export class Sandbox<T extends Tasks> {
  private readonly options: Required<Omit<SandboxOptions, 'onCrash'>> & Pick<SandboxOptions, 'onCrash'>
  private readonly semaphore: Semaphore
  private pool: Tinypool | undefined
  /** Deadlines of running tasks. */
  private readonly running = new Set<Deadline>()
  private readonly live = new Set<Thread>()
  private closed = false

  constructor(options: SandboxOptions) {
    const { threads, idleTimeout, queue, memory, deadline } = COMMON_LIMITS.sandbox
    this.options = { threads, idleTimeout, queue, memory, deadline, ...options }
    this.semaphore = new Semaphore(this.options.threads, this.options.queue, { full: overloaded, closed: stopping })
  }

  /** Number of threads, also terminating ones. */
  get threads(): number {
    return this.live.size
  }

  /**
   * Runs a task in a thread. Rejects with TaskFailure if the task fails, with SandboxError if it cannot start, or with
   * the signal's reason.
   */
  async run<N extends keyof T & string>(
    task: N,
    input: Parameters<T[N]>[0],
    { deadline = this.options.deadline, ...queueing }: RunOptions = {},
  ): Promise<Awaited<ReturnType<T[N]>>> {
    await this.semaphore.acquire(queueing)
    try {
      return await this.execute(task, input, deadline, queueing.signal)
    } finally {
      this.semaphore.release()
    }
  }

  /** Aborts all tasks and terminates all threads. Rejects further calls. */
  async close(): Promise<void> {
    this.closed = true
    this.semaphore.close()
    // aborting terminates the threads; the pool's `destroy` would crash the process if a thread failed meanwhile
    for (const task of this.running) task.abort(stopping())
    await Promise.all([...this.live].map((thread) => thread.terminate()))
  }

  private async execute(task: string, input: unknown, milliseconds: number, parent?: AbortSignal): Promise<never> {
    parent?.throwIfAborted()
    if (this.closed) throw stopping()
    const deadline = new Deadline({ parent })
    const { signal } = deadline
    const cancelTimer = afterWork(milliseconds, () => deadline.abort(new SandboxTimeout()))
    this.running.add(deadline)
    try {
      return await this.runOnThread(task, input, signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failure = failureOf(Object(error))
      if (failure instanceof SandboxCrash) this.reportCrash(error)
      throw failure
    } finally {
      cancelTimer()
      deadline.release()
      this.running.delete(deadline)
    }
  }

  /**
   * Runs a task, again if its thread was ending: after a late answer of such a thread, the pool gives it another task,
   * which fails.
   */
  private async runOnThread(task: string, input: unknown, signal: AbortSignal): Promise<never> {
    for (;;)
      try {
        this.pool ??= this.startPool()
        const result = this.pool.run(input, { name: task, signal })
        this.watch(this.pool)
        return (await result) as never
      } catch (error) {
        if (signal.aborted || !endedWithItsThread(error)) throw error
      }
  }

  private startPool(): Tinypool {
    const { entry, threads, idleTimeout, memory } = this.options
    const pool = threadPool(entry, {
      maxThreads: threads,
      idleTimeout,
      concurrentTasksPerWorker: 1,
      resourceLimits: {
        maxOldGenerationSizeMb: memory,
        maxYoungGenerationSizeMb: COMMON_LIMITS.sandbox.youngGeneration,
        stackSizeMb: COMMON_LIMITS.sandbox.stack,
      },
    })
    // a thread that ends without a task did not start or has exited: its queued tasks would wait forever
    pool.on('error', (error: unknown) => {
      if (this.closed) return
      this.reportCrash(error)
      for (const task of this.running) task.abort(threadUnavailable())
    })
    return pool
  }

  private reportCrash(error: unknown): void {
    const { code, name }: Partial<NodeJS.ErrnoException> = Object(error)
    this.options.onCrash?.(String(code ?? name ?? 'unknown'))
  }

  /** Tracks threads. Reports a thread that exits without an error to the pool, which does not notice it. */
  private watch(pool: Tinypool): void {
    for (const thread of pool.threads) {
      if (this.live.has(thread)) continue
      this.live.add(thread)
      thread.on('exit', () => {
        this.live.delete(thread)
        if (pool.threads.includes(thread)) thread.emit('error', new Error('ended'))
      })
    }
  }
}
