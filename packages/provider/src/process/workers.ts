import cluster, { type Worker } from 'node:cluster'
import { createLogger, type Logger } from '@tidegate/common'
import { DATABASE_LIMITS } from '@tidegate/database'
import type { Settings } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { isStopSignal, LISTENING, STOP, STOPPING, stopSignal } from './signals.js'

const { first: FIRST_BACKOFF, longest: MAX_BACKOFF } = PROVIDER_LIMITS.workers.backoff

/** Environment variable of a worker: state id of earlier workers. */
const STATE = 'TIDEGATE_STATE_ID'

/** Whether this process is a worker. */
export const isWorker = cluster.isWorker

/** Starts the server of aggregated metrics, if it is configured. */
type ServeMetrics = (settings: Settings, log: Logger) => Promise<{ close(): Promise<void> } | undefined>

/**
 * Runs the primary process: starts, replaces and stops workers, and serves their metrics. Returns the exit code: of the
 * first worker, if it did not start.
 */
export async function superviseWorkers(settings: Settings, serveMetrics: ServeMetrics): Promise<number> {
  const stop = stopSignal()
  const supervisor = new Supervisor(await createLogger(settings), settings.WORKERS, settings.STOP_TIMEOUT)
  void stop.then(() => supervisor.stop())
  try {
    // the first worker alone: it migrates the database and reports wrong settings once
    const failed = await supervisor.add()
    if (failed !== undefined && !supervisor.stopping) return failed
    for (let count = 1; count < settings.WORKERS; count++) void supervisor.addWithRetry()
    const metrics = supervisor.stopping ? undefined : await serveMetrics(settings, supervisor.log)
    await stop
    const code = await supervisor.stop()
    await metrics?.close()
    return code
  } finally {
    await supervisor.stop()
  }
}

class Supervisor {
  stopping = false
  /** Running workers, with promises of their exit codes. */
  private readonly running = new Map<Worker, Promise<number | null>>()
  /** Workers that listen for STOP. */
  private readonly listening = new Set<Worker>()
  /** Workers that have acknowledged STOP. */
  private readonly acknowledged = new Set<Worker>()
  private backoff: number = FIRST_BACKOFF
  private state: string | undefined
  private stopped: Promise<number> | undefined

  constructor(
    readonly log: Logger,
    private readonly count: number,
    private readonly stopTimeout: number,
  ) {}

  /** Starts a worker. Resolves with undefined when it serves, or with its exit code if it exits earlier. */
  async add(): Promise<number | undefined> {
    if (this.stopping) return 0
    const worker = cluster.fork({
      WORKERS: String(this.count), // auto may have become another number
      ...(this.state === undefined ? {} : { [STATE]: this.state }),
    })
    const ended = endOf(worker)
    this.running.set(worker, ended)
    void ended.then(() => this.running.delete(worker))
    worker.on('message', (message: unknown) => {
      if (message === LISTENING) this.listening.add(worker)
      else if (message === STOPPING) this.acknowledged.add(worker)
      else if (typeof message === 'object' && message && STATE in message) this.state ??= String(message[STATE])
    })
    const serving = new Promise<undefined>((resolve) => worker.once('listening', () => resolve(undefined)))
    // a signal to the process group ends a worker that does not listen for it yet
    const exitCode = (code: number | null) => code ?? (isStopSignal(worker.process.signalCode) ? 0 : 1)
    const code = await Promise.race([serving, ended.then(exitCode)])
    if (code !== undefined) return code
    const { pid } = worker.process
    this.log.info({ pid }, 'worker ready')
    this.backoff = FIRST_BACKOFF
    void ended.then((code) => this.replace({ pid, code, signal: worker.process.signalCode }))
    return undefined
  }

  /** Starts a worker, with retries until it serves. */
  async addWithRetry(): Promise<void> {
    const code = await this.add()
    if (code !== undefined) await this.replace({ code })
  }

  /** Stops all workers. Returns 0 if each exited with 0. */
  stop(): Promise<number> {
    this.stopping = true
    this.stopped ??= Promise.all([...this.running].map(([worker, ended]) => this.end(worker, ended))).then((codes) =>
      codes.every((code) => code === 0) ? 0 : 1,
    )
    return this.stopped
  }

  private async end(worker: Worker, ended: Promise<number | null>): Promise<number | null> {
    // a worker that does not listen for STOP serves no requests yet
    if (!this.listening.has(worker)) {
      worker.process.kill('SIGKILL')
      await ended
      return 0
    }
    worker.send(STOP, () => undefined) // fails for an exiting worker
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), this.stopTimeout + 4 * DATABASE_LIMITS.stop.grace)
    const code = await ended
    clearTimeout(timer)
    if (code === 0) return 0
    const { pid, signalCode: signal, killed } = worker.process
    this.log.error({ pid, code, signal }, 'worker failed while stopping')
    // the shutdown succeeds if a worker was killed from outside before it acknowledged STOP
    return signal !== null && !killed && !this.acknowledged.has(worker) ? 0 : code
  }

  private async replace(ended: {
    pid?: number | undefined
    code: number | null
    signal?: NodeJS.Signals | null
  }): Promise<void> {
    while (!this.stopping) {
      this.log.error({ ...ended, backoff: this.backoff }, 'worker exited, starting another one')
      await new Promise((resolve) => setTimeout(resolve, this.backoff))
      this.backoff = Math.min(MAX_BACKOFF, this.backoff * 2)
      if (this.stopping || (await this.add()) === undefined) return
    }
  }
}

/** Resolves with the exit code of a worker. Ignores errors of messages to it: it is exiting then. */
function endOf(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => {
    worker.once('exit', (code) => resolve(code))
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve(1) // fork failed
    })
  })
}

/** Reports the state id of this worker to the primary process. */
export function reportState(id: string): void {
  process.send?.({ [STATE]: id })
}

/** Returns the state id of earlier workers. Another state would lack the nonces that they accepted. */
export function expectedState(): { expected?: string } {
  const expected = process.env[STATE]
  return isWorker && expected ? { expected } : {}
}
