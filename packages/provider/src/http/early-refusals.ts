import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FRAMEWORK_ERRORS, sendError, sendFixed } from './errors.js'

type Raw = FastifyRequest['raw']
type Refusal = Error | keyof typeof FRAMEWORK_ERRORS

/** A path without any route. */
const NOWHERE = '/.unroutable'

/**
 * Refuses requests with an unreadable path, an unknown expectation or no host in a hook. Node or the framework would
 * answer them before any hook, unseen by limits, log and metrics.
 */
export class EarlyRefusals {
  private readonly refusals = new WeakMap<Raw, Refusal>()

  /** Routes a request with an unreadable path again. The other parameters are those of `frameworkErrors`. */
  routeAgain(app: FastifyInstance, error: Error, { raw }: FastifyRequest, reply: FastifyReply): void {
    this.refusals.set(raw, error)
    raw.url = NOWHERE
    app.routing(raw, reply.raw)
  }

  /** Registers the hook, which must follow those that count, log and limit. The server needs `requireHostHeader: false`. */
  register(app: FastifyInstance): void {
    app.server.on('checkExpectation', (raw, response) => {
      this.refusals.set(raw, 'EXPECTATION')
      app.server.emit('request', raw, response)
    })
    app.addHook('onRequest', (request, reply, done) => {
      const refusal = this.refusals.get(request.raw) ?? (hasOneHost(request.raw) ? undefined : 'HOST')
      if (refusal === undefined) return done()
      if (typeof refusal === 'string') sendFixed(reply, refusal)
      else sendError(refusal, request, reply)
    })
  }
}

/** Whether a request names its host exactly once (RFC 9112, section 3.2). HTTP/1.0 requires none. */
function hasOneHost({ rawHeaders, httpVersion }: Raw): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
