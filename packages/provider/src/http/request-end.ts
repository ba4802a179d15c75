import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Tracing } from '../process/tracing.js'

/** Status of requests whose client has left before the response, in logs, metrics and spans. As in nginx. */
const CLIENT_LEFT = 499

/** How a request has ended. */
export interface RequestEnd {
  /** The status of the response; 499 if the client has left before any of it was sent. */
  status: number
  /** Whether the connection closed before the whole response was sent. */
  aborted: boolean
}

/** Calls back once for each request: when its response is sent, or when its connection closes before that. */
export function onRequestEnd(request: FastifyRequest, reply: FastifyReply, callback: (end: RequestEnd) => void): void {
  const { lifetime } = request
  lifetime.onEnd(() => {
    const aborted = !lifetime.answered
    callback({ status: aborted && !reply.raw.headersSent ? CLIENT_LEFT : reply.statusCode, aborted })
  })
}

/** Handles each request within a span, until its end. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions, id } = request
    tracing.request({ method, route: routeOptions.url ?? 'none', id, headers }, (end) => {
      onRequestEnd(request, reply, ({ status }) => end(status))
      done()
    })
  })
}
