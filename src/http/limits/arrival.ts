import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BOUNDS } from '../../bounds.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The limit on the time that its body may take; undefined if it has none. */
    arrival: Arrival | undefined
  }
}

type Message = FastifyRequest['raw']

/** The time limit on the body of a request. When it runs out, the connection is closed. */
export class Arrival {
  private timer: NodeJS.Timeout

  constructor(private readonly message: Message) {
    this.timer = setTimeout(() => this.close(), BOUNDS.http.requestTimeout).unref()
    message.once('close', () => clearTimeout(this.timer))
  }

  /**
   * Replaces the limit by one for files, which may take any time while they arrive: at least `least` bytes in every
   * `window` milliseconds. Time in which the service itself does not read does not count.
   */
  allowSteady(window: number, least: number): void {
    const { message } = this
    const { socket } = message
    let before = socket.bytesRead
    clearTimeout(this.timer)
    if (message.closed) return
    this.timer = setInterval(() => {
      const arrived = socket.bytesRead - before
      before = socket.bytesRead
      if (message.readableLength === 0 && arrived < least) this.close()
    }, window).unref()
  }

  private close(): void {
    clearTimeout(this.timer)
    if (!this.message.complete) this.message.socket.destroy()
  }
}

/**
 * Limits the time that a request may take to arrive. Node's own limit covers headers only: the one on whole requests
 * knows no exceptions, and would cut every upload that takes longer.
 */
export function limitArrival(app: FastifyInstance): void {
  const arrivals = new WeakMap<Message, Arrival>()
  app.server.headersTimeout = BOUNDS.http.headersTimeout
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
