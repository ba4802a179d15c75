import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** A path of no route, not even of one that takes whatever is beneath it. */
const NOWHERE = '/.unroutable'

/**
 * Requests whose path the router cannot read. The framework would answer them before any hook, so that no limit, log and
 * metric knew of them. They are routed again, with another path, and refused where unknown paths are.
 */
export class Unroutable {
  private readonly errors = new WeakMap<FastifyRequest['raw'], Error>()

  /** Routes a request again. The other two parameters are those of Fastify's `frameworkErrors`. */
  again(app: FastifyInstance, error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
    this.errors.set(raw, error)
    raw.url = NOWHERE
    app.routing(raw, reply.raw)
  }

  /** What was wrong with the path of a request; undefined if nothing was. */
  errorOf({ raw }: FastifyRequest): Error | undefined {
    return this.errors.get(raw)
  }
}
