import { Tinypool } from 'tinypool'
import { BOUNDS } from '../bounds.js'
import { failureOf, SandboxCrash, SandboxTimeout, stopping, unstartable } from './failures.js'
import { Gate, type Waiting } from './gate.js'
import type * as documentTasks from './worker.js'

/** What a worker can do: the functions that its module exports, by name. Arguments and results are copied. */
export type Tasks = Record<string, (input: never) => unknown>

export interface SandboxOptions {
  /** The module of the threads. */
  entry?: URL
  threads?: number
  /** Milliseconds that a thread stays without work. */
  idle?: number
  /** How many may wait. */
  queue?: number
  /** MiB of objects of one thread. */
  memory?: number
  /** Milliseconds for one task, where it does not say itself. */
  deadline?: number
  /** Told the kind of error with which a thread ended, or a task, that should not have. */
  onLost?: (code: string) => void
}

export interface RunOptions extends Waiting {
  /** Milliseconds from the end of waiting, with the start of a thread where there is none. */
  deadline?: number
}

type Thread = Tinypool['threads'][number]

/**
 * Threads for work on what strangers sent: with a limit of time after which the thread is ended, and one of memory.
 * There is no thread before the first task, and none when nothing has come for a while. The limit of memory is the
 * second line of defence: a single allocation far beyond it ends the whole process, so tasks bound their input first.
 */
export class Sandbox<T extends Tasks = typeof documentTasks> {
  private readonly options: Required<Omit<SandboxOptions, 'onLost'>> & SandboxOptions
  private readonly gate: Gate
  private pool: Tinypool | undefined
  /** What ends the tasks at work. */
  private readonly running = new Set<AbortController>()
  private readonly alive = new Set<Thread>()
  private closed = false

  constructor(options: SandboxOptions = {}) {
    const { threads, idle, queue, memory, deadline } = BOUNDS.sandbox
    this.options = { entry: documentWorker(), threads, idle, queue, memory, deadline, ...options }
    this.gate = new Gate(this.options.threads, this.options.queue)
  }

  /** How many threads there are, with those that are just being ended. */
  get threads(): number {
    return this.alive.size
  }

  /**
   * Has a task done by a thread. Throws TaskFailure where it did not come to its end, SandboxError where it could not
   * be tried, or the reason of the signal.
   */
  async run<N extends keyof T & string>(
    task: N,
    input: Parameters<T[N]>[0],
    { deadline = this.options.deadline, ...waiting }: RunOptions = {},
  ): Promise<Awaited<ReturnType<T[N]>>> {
    await this.gate.enter(waiting)
    try {
      return await this.hand(task, input, deadline, waiting.signal)
    } finally {
      this.gate.leave()
    }
  }

  /** Ends all tasks and threads. What is asked for from now on is refused. */
  async close(): Promise<void> {
    this.closed = true
    this.gate.close()
    for (const end of this.running) end.abort(stopping())
    // it waits for events that may be over; the threads themselves are what counts
    this.pool?.destroy().catch(() => undefined)
    await Promise.all([...this.alive].map((thread) => thread.terminate()))
  }

  private async hand(task: string, input: unknown, deadline: number, signal?: AbortSignal): Promise<never> {
    signal?.throwIfAborted()
    if (this.closed) throw stopping()
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(new SandboxTimeout()), deadline)
    const abort = () => end.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.running.add(end)
    try {
      this.pool ??= this.started()
      const done = this.pool.run(input, { name: task, signal: end.signal })
      this.watch(this.pool)
      return (await done) as never
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason
      const failure = failureOf(Object(error))
      if (failure instanceof SandboxCrash) this.lost(error)
      throw failure
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      this.running.delete(end)
    }
  }

  private started(): Tinypool {
    const { entry, threads, idle, memory } = this.options
    const pool = new Tinypool({
      filename: entry.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: idle,
      concurrentTasksPerWorker: 1,
      // waiting must not block a thread: in the source tree its loader has a helper to listen to
      useAtomics: false,
      // the environment holds keys, which no task needs from there
      env: {},
      execArgv: loaderFor(entry),
      resourceLimits: {
        maxOldGenerationSizeMb: memory,
        maxYoungGenerationSizeMb: BOUNDS.sandbox.young,
        stackSizeMb: BOUNDS.sandbox.stack,
      },
    })
    // a thread that ends without a task did so while it started, or by itself: tasks that wait for it would wait for ever
    pool.on('error', (error: unknown) => {
      this.lost(error)
      for (const end of this.running) end.abort(unstartable())
    })
    return pool
  }

  private lost(error: unknown): void {
    const { code, name }: Partial<NodeJS.ErrnoException> = Object(error)
    this.options.onLost?.(String(code ?? name ?? 'unknown'))
  }

  /** Keeps account of the threads, and tells the pool of one that ended in silence, which it does not notice itself. */
  private watch(pool: Tinypool): void {
    for (const thread of pool.threads) {
      if (this.alive.has(thread)) continue
      this.alive.add(thread)
      thread.on('exit', () => {
        this.alive.delete(thread)
        if (pool.threads.includes(thread)) thread.emit('error', new Error('ended'))
      })
    }
  }
}

/** The worker of this release: beside this file in the source tree, in a folder of its own in the build. */
function documentWorker(): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL('./worker.ts', here) : new URL('./sandbox/worker.js', here)
}

/** Arguments of node for a thread: in the source tree modules are TypeScript. */
function loaderFor(entry: URL): string[] {
  return entry.pathname.endsWith('.ts') ? ['--import', new URL('./typescript.mjs', import.meta.url).href] : []
}
