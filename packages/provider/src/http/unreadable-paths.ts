import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError } from './errors.js'

/** A path without any route. */
const NOWHERE = '/.unroutable'

/**
 * Refuses requests with an unreadable path in a hook. The framework would answer them before any hook, unseen by limits,
 * log and metrics.
 */
export class UnreadablePaths {
  private readonly errors = new WeakMap<FastifyRequest['raw'], Error>()

  /** Routes a request again. The other parameters are those of `frameworkErrors`. */
  routeAgain(app: FastifyInstance, error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
    this.errors.set(raw, error)
    raw.url = NOWHERE
    app.routing(raw, reply.raw)
  }

  /** Registers the hook, which must follow those that count, log and limit. */
  register(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      const error = this.errors.get(request.raw)
      if (error === undefined) return done()
      sendError(error, request, reply)
    })
  }
}
