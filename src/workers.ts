import cluster, { type Worker } from 'node:cluster'
import prom from 'prom-client'
import { BOUNDS } from './bounds.js'
import type { Settings } from './config/schema.js'
import { createLogger, type Logger } from './logger.js'
import type { Metrics } from './metrics/metrics.js'
import { startMetricsServer } from './metrics/server.js'
import { HEARS, STOP, STOPS, stopSignal } from './signals.js'

/** Milliseconds before a worker that ended is replaced; doubled while workers end without having served. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 30_000

/** What a worker is told in its environment: the id of the state that those before it served with. */
const STATE = 'TIDEGATE_STATE_ID'

/** Room for young objects: with more of it fewer are copied, which takes a fifth of the time of a small request. */
export const YOUNG = ['--max-semi-space-size=32']

/** Whether this process is one of several that share a port. */
export const isWorker = cluster.isWorker

/**
 * The first process of several: starts the others, puts a new one in the place of one that ends, serves the metrics
 * of all together, and stops them when it is told to, at any moment. Answers the exit code, which is the first
 * worker's own where it could not start.
 */
export async function superviseWorkers(settings: Settings): Promise<number> {
  const stop = stopSignal()
  cluster.setupPrimary({ execArgv: [...process.execArgv, ...YOUNG] })
  const supervisor = new Supervisor(createLogger(settings.LOG_LEVEL), settings.STOP_TIMEOUT)
  void stop.then(() => supervisor.stop())
  try {
    // the first one alone: it makes the tables, and says what is wrong with the settings once
    const failed = await supervisor.add()
    if (failed !== undefined && !supervisor.stopping) return failed
    for (let more = 1; more < settings.WORKERS; more++) void supervisor.keepOne()
    const metrics = supervisor.stopping ? undefined : await serveMetrics(settings, supervisor.log)
    await stop
    const code = await supervisor.stop()
    await metrics?.close()
    return code
  } finally {
    await supervisor.stop()
  }
}

function serveMetrics({ METRICS_HOST: host, METRICS_PORT: port }: Settings, log: Logger) {
  if (port === undefined) return undefined
  const together = new prom.AggregatorRegistry()
  return startMetricsServer(
    { contentType: together.contentType, metrics: () => together.clusterMetrics() },
    host,
    port,
    log,
  )
}

class Supervisor {
  stopping = false
  /** All workers that run, and with what each ends. */
  private readonly running = new Map<Worker, Promise<number | null>>()
  /** Those that have said that they can be told to stop. */
  private readonly hearing = new Set<Worker>()
  /** Those that have said that they were told. */
  private readonly told = new Set<Worker>()
  private pause = FIRST_PAUSE
  private state: string | undefined
  private stopped: Promise<number> | undefined

  constructor(
    readonly log: Logger,
    private readonly stopTimeout: number,
  ) {}

  /** Starts a worker. Resolves when it serves: with nothing, or with its exit code where it ended before. */
  async add(): Promise<number | undefined> {
    if (this.stopping) return 0
    const worker = cluster.fork(this.state === undefined ? {} : { [STATE]: this.state })
    const ended = endOf(worker)
    this.running.set(worker, ended)
    void ended.then(() => this.running.delete(worker))
    worker.on('message', (message: unknown) => {
      if (message === HEARS) this.hearing.add(worker)
      else if (message === STOPS) this.told.add(worker)
      else if (typeof message === 'object' && message && STATE in message) this.state ??= String(message[STATE])
    })
    const listening = new Promise<undefined>((resolve) => worker.once('listening', () => resolve(undefined)))
    const code = await Promise.race([listening, ended.then((code) => code ?? 1)])
    if (code !== undefined) return code
    const { pid } = worker.process
    this.log.info({ pid }, 'a worker serves')
    this.pause = FIRST_PAUSE
    void ended.then((code) => this.replace({ pid, code, signal: worker.process.signalCode }))
    return undefined
  }

  /** Starts a worker, again and again until it serves. */
  async keepOne(): Promise<void> {
    const code = await this.add()
    if (code !== undefined) await this.replace({ code })
  }

  /** Ends all workers: those that can hear it by themselves. 0 when each has ended well. */
  stop(): Promise<number> {
    this.stopping = true
    this.stopped ??= Promise.all([...this.running].map(([worker, ended]) => this.end(worker, ended))).then((codes) =>
      codes.every((code) => code === 0) ? 0 : 1,
    )
    return this.stopped
  }

  private async end(worker: Worker, ended: Promise<number | null>): Promise<number | null> {
    // one that does not hear yet does not serve either
    if (!this.hearing.has(worker)) {
      worker.process.kill('SIGKILL')
      await ended
      return 0
    }
    worker.send(STOP, () => undefined) // one that is just ending cannot be told
    const late = setTimeout(() => worker.process.kill('SIGKILL'), this.stopTimeout + 4 * BOUNDS.stop.rest)
    const code = await ended
    clearTimeout(late)
    if (code === 0) return 0
    const { pid, signalCode: signal, killed } = worker.process
    this.log.error({ pid, code, signal }, 'a worker ended while it was to stop')
    // one that somebody else killed before it was told is not for the stop to answer for: a moment earlier it was not
    return signal !== null && !killed && !this.told.has(worker) ? 0 : code
  }

  private async replace(ended: { pid?: number; code: number | null; signal?: NodeJS.Signals | null }): Promise<void> {
    while (!this.stopping) {
      this.log.error({ ...ended, pause: this.pause }, 'a worker ended and is replaced')
      await new Promise((resolve) => setTimeout(resolve, this.pause))
      this.pause = Math.min(LONGEST_PAUSE, this.pause * 2)
      if (this.stopping || (await this.add()) === undefined) return
    }
  }
}

/** Resolves with what a worker ends with. What cannot be sent to it is of no interest: it is just ending then. */
function endOf(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => {
    worker.once('exit', (code) => resolve(code))
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve(1) // the system had no process for it
    })
  })
}

/** Lets the first process have a worker's metrics. */
export function shareMetrics({ registry }: Metrics): void {
  prom.AggregatorRegistry.setRegistries(registry)
  new prom.AggregatorRegistry() // listens for the question
}

/** Tells the first process which state this worker serves with. */
export function tellState(id: string): void {
  process.send?.({ [STATE]: id })
}

/** The state that the workers before this one served with: another one would know nothing of what they accepted. */
export function expectedState(): { expected?: string } {
  const expected = process.env[STATE]
  return isWorker && expected ? { expected } : {}
}
