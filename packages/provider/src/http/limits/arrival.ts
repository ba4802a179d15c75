import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Limits on the arrival of the body; undefined without a body. */
    arrival: Arrival | undefined
  }
}

type Message = FastifyRequest['raw']

/** The error of a late body. Its code is a key of FRAMEWORK_ERRORS. */
class BodyTimeout extends Error {
  readonly code = 'TIMEOUT'
  readonly statusCode = 408
}

/**
 * Limits on the arrival of a request body: a minimum rate and a total time. A reader of a late body answers 408, and the
 * connection closes. A body without a reader, or of a file, closes the connection at once.
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
   * Allows a file any time if at least `least` bytes arrive in every `window` milliseconds. A slower request gets no
   * response: tus clients resume after a broken connection, but give up after 408.
   */
  allowSteady(window: number, least: number): void {
    this.isFile = true
    this.clear()
    if (!this.message.closed) this.window = this.expect(window, least)
  }

  /** Counts only time in which the service reads. */
  private expect(window: number, least: number): NodeJS.Timeout {
    const { message } = this
    const { socket } = message
    let before = socket.bytesRead
    const check = () => {
      const arrived = socket.bytesRead - before
      before = socket.bytesRead
      if (message.readableLength === 0 && arrived < least) this.fail()
    }
    // setImmediate: first reads the bytes that arrived while the process was busy or suspended
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

/** Limits the arrival of all request bodies. Node's limit on whole requests knows no exceptions and would cut long uploads. */
export function limitArrival(app: FastifyInstance): void {
  const arrivals = new WeakMap<Message, Arrival>()
  app.server.headersTimeout = PROVIDER_LIMITS.http.headersTimeout
  app.server.requestTimeout = 0
  // before the framework, which answers some requests without a hook
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
