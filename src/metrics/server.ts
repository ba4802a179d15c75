import Fastify, { type FastifyInstance } from 'fastify'
import { StartError } from '../errors.js'
import type { Logger } from '../logger.js'

/** Where the metrics come from: one process, or several together. */
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
  app.get('/metrics', async (_request, reply) => reply.type(source.contentType).send(await source.metrics()))
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new StartError([`METRICS_PORT: cannot listen at ${host}:${port}: ${error.code}.`])
  })
  log.info({ url: app.listeningOrigin }, 'metrics are served')
  return app
}
