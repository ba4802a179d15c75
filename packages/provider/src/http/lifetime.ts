import { addAbortListener, setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { Deadline, type LazyCancellation, removeFrom } from '@tidegate/common'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { innerOf } from './mcp/inner-requests.js'

declare module 'fastify' {
  interface FastifyRequest {
    lifetime: Lifetime
  }
}

/**
 * The lifetime of a request: until its response ends or its connection closes, whichever comes first. It releases
 * everything that is counted, opened or started for the request.
 */
export class Lifetime implements LazyCancellation {
  private readonly listeners: (() => void)[] = []
  /** Those of parts that may leave before the end. */
  private readonly waiting: (() => void)[] = []
  private controller: AbortController | undefined
  /** Whether the whole response was handed to the system, over a connection that was open. */
  answered = false
  ended = false

  /** Aborts when the request is over. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      // any number of the request's parts may wait
      setMaxListeners(0, this.controller.signal)
      if (this.ended) this.controller.abort(ENDED)
    }
    return this.controller.signal
  }

  get aborted(): boolean {
    return this.ended
  }

  get reason(): unknown {
    return this.ended ? ENDED : undefined
  }

  throwIfAborted(): void {
    if (this.ended) throw ENDED
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.ended) this.waiting.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    removeFrom(this.waiting, listener)
  }

  /** Returns a deadline in so many milliseconds. Its signal also aborts when the request ends. */
  deadline(milliseconds: number): RequestDeadline {
    return new RequestDeadline(this, milliseconds)
  }

  /** Calls back once when the request is over; immediately if it is already. */
  onEnd(callback: () => void): void {
    if (this.ended) callback()
    else this.listeners.push(callback)
  }

  /** Ends the lifetime. Called by the server only. */
  end(): void {
    if (this.ended) return
    this.ended = true
    this.controller?.abort(ENDED)
    // one that is removed meanwhile is not called
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) next()
    for (const listener of this.listeners) listener()
  }
}

/** Shared: every request that has a signal ends with it, and an error of its own would cost a stack trace each time. */
const ENDED = new DOMException('The request is over.', 'AbortError')

/** A deadline for a part of a request. The end of the request releases it. */
export class RequestDeadline {
  private made: AbortSignal | undefined
  private readonly ends: number

  constructor(
    private readonly lifetime: Lifetime,
    milliseconds: number,
  ) {
    this.ends = performance.now() + milliseconds
  }

  /** Aborts at the deadline, or when the request is over. Made on first use: it costs more than a cached answer. */
  get signal(): AbortSignal {
    if (!this.made) {
      const left = Math.max(0, Math.ceil(this.ends - performance.now()))
      this.made = new Deadline({ milliseconds: left, parent: this.lifetime }).signal
    }
    return this.made
  }

  /** Whether the signal was used and has aborted. */
  get aborted(): boolean {
    return this.made?.aborted ?? false
  }
}

/** Tracks the connections of a server and their requests in flight. */
export class Connections {
  private readonly inFlight = new Map<Socket, Lifetime[]>()
  private readonly idle: (() => void)[] = []
  /** Connections without a request so far. */
  private readonly fresh = new Set<Socket>()

  /**
   * Attaches a lifetime to every request of a server. A response that is queued behind another gets no event when its
   * connection closes, so lifetimes are tracked by connection.
   */
  constructor(app: FastifyInstance) {
    app.server.on('connection', (socket: Socket) => {
      // cached by the first read: counters and logs need the address after the connection has closed
      void socket.remoteAddress
      this.inFlight.set(socket, [])
      this.fresh.add(socket)
      socket.once('close', () => {
        const lifetimes = this.inFlight.get(socket)
        this.inFlight.delete(socket)
        this.fresh.delete(socket)
        for (const lifetime of lifetimes?.splice(0) ?? []) lifetime.end()
        if (this.inFlight.size === 0) for (const callback of this.idle.splice(0)) callback()
      })
    })
    app.decorateRequest('lifetime', null as never)
    app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
      const { socket } = request.raw
      this.fresh.delete(socket)
      const lifetime = new Lifetime()
      request.lifetime = lifetime
      const inner = innerOf(request)
      const lifetimes = this.inFlight.get(socket)
      if (inner) addAbortListener(inner.signal, () => lifetime.end())
      // the connection closed before its request was read completely
      else if (!lifetimes) lifetime.end()
      lifetimes?.push(lifetime)
      reply.raw.on('close', () => {
        if (lifetimes) removeFrom(lifetimes, lifetime)
        lifetime.end()
      })
      done()
    })
    // at the event 'finish', which also fires when the connection closes under the response
    app.addHook('onResponse', ({ lifetime, raw }, _reply, done) => {
      lifetime.answered = !lifetime.ended && !raw.socket.destroyed
      done()
    })
  }

  /** Open connections. */
  get count(): number {
    return this.inFlight.size
  }

  /** Requests in flight over all connections. */
  get requests(): number {
    let all = 0
    for (const lifetimes of this.inFlight.values()) all += lifetimes.length
    return all
  }

  get sockets(): IterableIterator<Socket> {
    return this.inFlight.keys()
  }

  /** Returns the number of requests in flight on a connection. */
  inFlightOn(socket: Socket): number {
    return this.inFlight.get(socket)?.length ?? 0
  }

  /** Whether a connection is open that no request has come over yet. */
  isFresh(socket: Socket): boolean {
    return this.fresh.has(socket)
  }

  /** Calls back once when no connection is open. */
  onIdle(callback: () => void): void {
    if (this.inFlight.size === 0) callback()
    else this.idle.push(callback)
  }
}
