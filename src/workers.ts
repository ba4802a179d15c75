import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import prom from 'prom-client'
import type { Settings } from './config/schema.js'
import { createLogger, type Logger } from './logger.js'
import type { Metrics } from './metrics/metrics.js'
import { startMetricsServer } from './metrics/server.js'
import { stopSignal } from './signals.js'

/** Milliseconds before a worker that ended is replaced; doubled while workers end without having served. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 30_000

/** What the first process tells the others to make them stop. */
const STOP = 'tidegate:stop'

/** Room for young objects: with more of it fewer are copied, which takes a fifth of the time of a small request. */
export const YOUNG = ['--max-semi-space-size=32']

/** Whether this process is one of several that share a port. */
export const isWorker = cluster.isWorker

/**
 * The first process of several: starts the others, puts a new one in the place of one that ends, serves the metrics
 * of all together, and stops them when it is told to. Answers the exit code, which is the first worker's own where it
 * could not start.
 */
export async function superviseWorkers(settings: Settings): Promise<number> {
  cluster.setupPrimary({ execArgv: [...process.execArgv, ...YOUNG] })
  const supervisor = new Supervisor(createLogger(settings.LOG_LEVEL))
  // the first one alone: it makes the tables, and says what is wrong with the settings once
  const failed = await supervisor.add()
  if (failed !== undefined) return failed
  await Promise.all(Array.from({ length: settings.WORKERS - 1 }, () => supervisor.add()))
  const { METRICS_HOST: host, METRICS_PORT: port } = settings
  const together = new prom.AggregatorRegistry()
  const source = { contentType: together.contentType, metrics: () => together.clusterMetrics() }
  const metrics = port === undefined ? undefined : await startMetricsServer(source, host, port, supervisor.log)
  await stopSignal()
  const code = await supervisor.stop()
  await metrics?.close()
  return code
}

class Supervisor {
  private readonly serving = new Set<Worker>()
  private stopping = false
  private pause = FIRST_PAUSE

  constructor(readonly log: Logger) {}

  /** Starts a worker. Resolves when it serves: with nothing, or with its exit code where it ended before. */
  async add(): Promise<number | undefined> {
    const worker = cluster.fork()
    const ended = once(worker, 'exit').then(([code]) => (code as number | null) ?? 1)
    const code = await Promise.race([once(worker, 'listening').then(() => undefined), ended])
    if (code !== undefined) return code
    this.serving.add(worker)
    this.log.info({ pid: worker.process.pid }, 'a worker serves')
    this.pause = FIRST_PAUSE
    void ended.then(() => {
      this.serving.delete(worker)
      return this.replace(worker)
    })
    return undefined
  }

  /** Ends all workers. 0 when each that served has ended well. */
  async stop(): Promise<number> {
    this.stopping = true
    const codes = await Promise.all(
      (Object.values(cluster.workers ?? {}) as Worker[]).map(async (worker) => {
        const ended = once(worker, 'exit') as Promise<[number | null]>
        const served = this.serving.has(worker)
        if (served)
          worker.send(STOP, () => undefined) // one that is just ending cannot be told
        else worker.process.kill('SIGKILL')
        const [code] = await ended
        return served ? code : 0
      }),
    )
    return codes.every((code) => code === 0) ? 0 : 1
  }

  private async replace({ process: { pid, exitCode, signalCode } }: Worker): Promise<void> {
    while (!this.stopping) {
      this.log.error({ pid, code: exitCode, signal: signalCode, pause: this.pause }, 'a worker ended and is replaced')
      await new Promise((resolve) => setTimeout(resolve, this.pause))
      this.pause = Math.min(LONGEST_PAUSE, this.pause * 2)
      if (this.stopping || (await this.add()) === undefined) return
    }
  }
}

/** Lets the first process have a worker's metrics. */
export function shareMetrics({ registry }: Metrics): void {
  prom.AggregatorRegistry.setRegistries(registry)
  new prom.AggregatorRegistry() // listens for the question
}

/**
 * Resolves when a worker is to stop: the first process says so, or a signal to all processes does. Later signals are
 * left to the first process; when that is gone, its workers end at once.
 */
export function stopMessage(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve())
    process.on('SIGTERM', () => resolve())
    process.on('message', (message) => {
      if (message === STOP) resolve()
    })
  })
}
