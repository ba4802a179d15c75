import { setTimeout as sleep } from 'node:timers/promises'
import type { Chains } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { DATABASE_LIMITS } from '@tidegate/database'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../config/schema.js'
import type { HttpServer } from '../http/server.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Metrics } from '../metrics/metrics.js'
import { startMetricsServer } from '../metrics/server.js'
import { listenError } from '../process/listening.js'
import { tooFewOpenFiles } from '../process/open-files.js'
import { startFields } from './start-line.js'

/** Background work of the service. */
export interface BackgroundTask {
  start(): void
  /** May be interrupted at any moment: the task resumes after the next start. */
  stop(): Promise<void> | void
}

interface Parts {
  settings: Settings
  chains: Chains
  metrics: Metrics
  log: Logger
  http: HttpServer
  background: readonly BackgroundTask[]
  /** Called in this order after all tasks have stopped. */
  closers: readonly (() => Promise<unknown> | undefined)[]
}

/** Starts and stops the servers and background tasks of a service. */
export class Lifecycle {
  private metricsServer: FastifyInstance | undefined

  constructor(private readonly parts: Parts) {}

  get metricsUrl(): string | undefined {
    return this.metricsServer?.listeningOrigin
  }

  async listen(): Promise<string> {
    const { settings, metrics, chains, http, log, background } = this.parts
    const { HOST: host, PORT: port, METRICS_HOST, METRICS_PORT } = settings
    const shortage = tooFewOpenFiles(settings)
    if (shortage)
      log.warn(shortage, 'fewer files may be open than the settings allow connections: raise the limit (ulimit -n)')
    if (METRICS_PORT !== undefined)
      this.metricsServer = await startMetricsServer(metrics.registry, METRICS_HOST, METRICS_PORT, log)
    const { backlog } = PROVIDER_LIMITS.http
    const url = await http.app.listen({ host, port, backlog }).catch((error: NodeJS.ErrnoException) => {
      throw listenError(['HOST', 'PORT'], { host, port }, error)
    })
    log.info(startFields(settings, chains, url), 'service started')
    for (const task of background) task.start()
    return url
  }

  async close(): Promise<void> {
    const { settings, http, log, background, closers } = this.parts
    const timeout = settings.STOP_TIMEOUT
    log.info({ inFlight: http.connections.requests, timeout }, 'service is stopping')
    await http.close(timeout)
    // no wait for an unresponsive node or receiver: the next start repeats that work
    const stopped = Promise.all(background.map((task) => task.stop()))
    await Promise.race([stopped, sleep(DATABASE_LIMITS.stop.grace, undefined, { ref: false })])
    for (const close of closers) await close()
    await this.metricsServer?.close()
    log.info({ uptime: Math.round(process.uptime()) }, 'service stopped')
  }
}
