import Fastify, { type FastifyInstance } from 'fastify'
import { StartError } from '../errors.js'
import type { Metrics } from './metrics.js'

/** Serves `GET /metrics` at an address of its own, which consumers need not reach. Throws StartError. */
export async function startMetricsServer(metrics: Metrics, host: string, port: number): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new StartError([`METRICS_PORT: cannot listen at ${host}:${port}: ${error.code}.`])
  })
  return app
}
