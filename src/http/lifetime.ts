import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    lifetime: Lifetime
  }
}

/**
 * How long a request lasts: until its response has ended or its connection has gone, whichever comes first. Whatever
 * is counted, opened or started for a request is given back by this, and by nothing else.
 */
export class Lifetime {
  private readonly listeners: (() => void)[] = []
  private controller: AbortController | undefined
  private over = false

  /** Aborts when the request is over. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.over) this.controller.abort(gone())
    }
    return this.controller.signal
  }

  get ended(): boolean {
    return this.over
  }

  /** That signal, which fires after so many milliseconds as well. */
  deadline(milliseconds: number): AbortSignal {
    return AbortSignal.any([this.signal, AbortSignal.timeout(milliseconds)])
  }

  /** Calls back once when the request is over; at once where it is already. */
  onEnd(callback: () => void): void {
    if (this.over) callback()
    else this.listeners.push(callback)
  }

  /** For the server: the request is over. */
  end(): void {
    if (this.over) return
    this.over = true
    this.controller?.abort(gone())
    for (const listener of this.listeners) listener()
  }
}

function gone(): DOMException {
  return new DOMException('The request is over.', 'AbortError')
}

/** The connections of a server, and which requests each has in flight. */
export class Connections {
  private readonly inFlight = new Map<Socket, Set<Lifetime>>()
  private readonly idle: (() => void)[] = []

  /**
   * Watches a server, and gives each request its lifetime. A response that is queued behind another one is not told
   * when its connection goes, so each connection knows the requests that it carries.
   */
  constructor(app: FastifyInstance) {
    app.server.on('connection', (socket: Socket) => {
      this.inFlight.set(socket, new Set())
      socket.once('close', () => {
        const carried = this.inFlight.get(socket)
        this.inFlight.delete(socket)
        for (const lifetime of carried ?? []) lifetime.end()
        if (this.inFlight.size === 0) for (const callback of this.idle.splice(0)) callback()
      })
    })
    app.decorateRequest('lifetime', null as never)
    app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
      const { socket } = request.raw
      const lifetime = new Lifetime()
      request.lifetime = lifetime
      const carried = this.inFlight.get(socket)
      // gone before its request was read to the end
      if (!carried) lifetime.end()
      carried?.add(lifetime)
      reply.raw.on('close', () => {
        carried?.delete(lifetime)
        lifetime.end()
      })
      done()
    })
  }

  /** How many connections there are. */
  get count(): number {
    return this.inFlight.size
  }

  /** How many requests are in flight. */
  get requests(): number {
    let all = 0
    for (const carried of this.inFlight.values()) all += carried.size
    return all
  }

  get sockets(): IterableIterator<Socket> {
    return this.inFlight.keys()
  }

  /** Requests that a connection has in flight. */
  carriedBy(socket: Socket): number {
    return this.inFlight.get(socket)?.size ?? 0
  }

  /** Calls back once when there is no connection left. */
  onIdle(callback: () => void): void {
    if (this.inFlight.size === 0) callback()
    else this.idle.push(callback)
  }
}
