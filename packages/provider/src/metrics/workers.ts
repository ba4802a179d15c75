import type { Logger } from '@tidegate/common'
import prom from 'prom-client'
import type { Settings } from '../config/schema.js'
import type { Metrics } from './metrics.js'
import { startMetricsServer } from './server.js'

/** Serves the aggregated metrics of all workers in the primary process; undefined without METRICS_PORT. Throws StartError. */
export async function serveWorkerMetrics(
  { METRICS_HOST: host, METRICS_PORT: port }: Pick<Settings, 'METRICS_HOST' | 'METRICS_PORT'>,
  log: Logger,
): Promise<{ close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined
  const aggregated = new prom.AggregatorRegistry()
  return startMetricsServer(
    { contentType: aggregated.contentType, metrics: () => aggregated.clusterMetrics() },
    host,
    port,
    log,
  )
}

/** Shares the metrics of a worker with the primary process. */
export function shareMetrics({ registry }: Metrics): void {
  prom.AggregatorRegistry.setRegistries(registry)
  new prom.AggregatorRegistry() // the constructor listens for requests of the primary process
}
