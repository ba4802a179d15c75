import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The limits on the arrival of its body; undefined if it has none. */
    arrival: Arrival | undefined
  }
}

type Message = FastifyRequest['raw']

/** The error of a body that does not arrive in time, with a key of FRAMEWORK_ERRORS as its code. */
class BodyTimeout extends Error {
  readonly code = 'TIMEOUT'
  readonly statusCode = 408
}

/**
 * The limits on the arrival of a request's body: a least rate, and a total time. When a body exceeds one, its reader answers with
 * 408, and the connection is closed. If nobody reads the body, or if it is a file, the connection is closed at once.
 */
export class Arrival {
  private isFile = false
  private window: NodeJS.Timeout
  private total: NodeJS.Timeout

  constructor(private readonly message: Message) {
    const { requestTimeout, bodyWindow, bodySteady } = PROVIDER_LIMITS.http
    this.total = setTimeout(() => this.fail(), requestTimeout).unref()
    this.window = this.expect(bodyWindow, bodySteady)
    message.once('close', () => this.clear())
  }

  /**
   * Lets a file take any time while at least `least` bytes arrive in every `window` milliseconds. Otherwise its request is not
   * answered: clients of tus resume after a broken connection, and give up after a 408.
   */
  allowSteady(window: number, least: number): void {
    this.isFile = true
    this.clear()
    if (!this.message.closed) this.window = this.expect(window, least)
  }

  /** Time in which the service itself does not read does not count. */
  private expect(window: number, least: number): NodeJS.Timeout {
    const { message } = this
    const { socket } = message
    let before = socket.bytesRead
    const check = () => {
      const arrived = socket.bytesRead - before
      before = socket.bytesRead
      if (message.readableLength === 0 && arrived < least) this.fail()
    }
    // not before what has arrived meanwhile is read: the process may have been busy, or the machine asleep
    return setInterval(() => setImmediate(check), window).unref()
  }

  private fail(): void {
    const { message } = this
    this.clear()
    if (message.complete) return
    if (!this.isFile && message.listenerCount('error') > 0) message.emit('error', new BodyTimeout())
    else message.socket.destroy()
  }

  private clear(): void {
    clearTimeout(this.total)
    clearInterval(this.window)
  }
}

/**
 * Limits the arrival of all request bodies. Node's own limit covers headers only: the one on whole requests knows no exceptions,
 * and would cut every upload that takes longer.
 */
export function limitArrival(app: FastifyInstance): void {
  const arrivals = new WeakMap<Message, Arrival>()
  app.server.headersTimeout = PROVIDER_LIMITS.http.headersTimeout
  app.server.requestTimeout = 0
  // before the framework: it responds to some requests without calling a hook
  app.server.prependListener('request', (message: Message) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = message.headers
    if (length !== '0' || encoding !== undefined) arrivals.set(message, new Arrival(message))
  })
  app.decorateRequest('arrival', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    request.arrival = arrivals.get(request.raw)
    done()
  })
}
