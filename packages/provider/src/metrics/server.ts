import type { Logger } from '@tidegate/common'
import Fastify, { type FastifyInstance } from 'fastify'
import { listenError } from '../process/listening.js'

/** The source of metrics: one process, or the aggregate of its workers. */
export interface MetricsSource {
  contentType: string
  metrics(): Promise<string>
}

/** Serves `GET /metrics` at an address of its own, which consumers need not reach. Throws StartError. */
export async function startMetricsServer(
  source: MetricsSource,
  host: string,
  port: number,
  log: Logger,
): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  // scrapes at the same time share one reading of database, disk and workers
  let reading: Promise<string> | undefined
  const read = () => {
    reading ??= source.metrics().finally(() => {
      reading = undefined
    })
    return reading
  }
  app.get('/metrics', async (_request, reply) => reply.type(source.contentType).send(await read()))
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw listenError(['METRICS_HOST', 'METRICS_PORT'], { host, port }, error)
  })
  log.info({ url: app.listeningOrigin }, 'metrics are served')
  return app
}
