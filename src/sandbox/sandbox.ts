import { Tinypool } from 'tinypool'
import { BOUNDS } from '../bounds.js'
import { SandboxError } from '../errors.js'
import { Gate, stopping, type Waiting } from './gate.js'
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
  /** Told the kind of error with which a thread ended that had nothing to do. */
  onLost?: (code: string) => void
}

export interface RunOptions extends Waiting {
  /** Milliseconds from the end of waiting, with the start of a thread where there is none. */
  deadline?: number
}

/** A task did not come to its end, for a reason of its own. The message goes on from the name of what was worked on. */
export class TaskFailure extends Error {}

/** The deadline passed. On a crowded machine it may be no fault of the task: it is worth a second try. */
export class SandboxTimeout extends TaskFailure {
  constructor() {
    super('took too long to read')
  }
}

/** The thread had no memory left. */
export class SandboxExhausted extends TaskFailure {
  constructor() {
    super('needs too much memory')
  }
}

/** The task threw, which it does not do on purpose, or its thread ended with it. */
export class SandboxCrash extends TaskFailure {
  constructor() {
    super('cannot be read')
  }
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
    const { threads, idle, queue, memory } = BOUNDS.sandbox
    this.options = { entry: documentWorker(), threads, idle, queue, memory, ...options }
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
    { deadline = BOUNDS.sandbox.deadline, ...waiting }: RunOptions = {},
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
      throw end.signal.aborted ? end.signal.reason : failureOf(error)
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
    pool.on('error', (error: NodeJS.ErrnoException) => {
      this.options.onLost?.(error.code ?? error.name)
      for (const end of this.running) end.abort(unstartable())
    })
    return pool
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

function unstartable(): SandboxError {
  return new SandboxError('SANDBOX_UNAVAILABLE', 'Documents cannot be read at present. Try again later.')
}

/** What the pool rejects with, as what it means. */
function failureOf(error: unknown): Error {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxExhausted()
  if (code === 'ERR_WORKER_INIT_FAILED') return unstartable()
  return new SandboxCrash()
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
