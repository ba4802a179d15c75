import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tracing } from '../process/tracing.js'

/** Status in logs, metrics and spans if the client leaves before the response. The code of nginx. */
const CLIENT_LEFT = 499

/** The end of a request. */
export interface RequestEnd {
  /** Status of the response; 499 if the client left before its first byte. */
  status: number
  /** Whether the connection closed before the whole response was sent. */
  aborted: boolean
}

/** Calls back once for each request: after its response, or when its connection closes earlier. */
export function onRequestEnd(request: FastifyRequest, reply: FastifyReply, callback: (end: RequestEnd) => void): void {
  const { lifetime } = request
  lifetime.onEnd(() => {
    const aborted = !lifetime.answered
    callback({ status: aborted && !reply.raw.headersSent ? CLIENT_LEFT : reply.statusCode, aborted })
  })
}

/** Runs each request in a span. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions, id } = request
    tracing.request({ method, route: routeOptions.url ?? 'none', id, headers }, (end) => {
      onRequestEnd(request, reply, ({ status }) => end(status))
      done()
    })
  })
}
