import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BOUNDS } from '../bounds.js'
import type { Context } from '../context.js'
import { LimitError, StateError } from '../errors.js'
import { networkOf } from './address.js'
import type { Connections } from './lifetime.js'
import { isDownload, isOperators } from './limits.js'

/**
 * Caps on what one process does at once: connections, requests of one connection, downloads, and downloads of one
 * address. What is above is told to come again; what is in flight is never cut for it.
 */
export function capUse(app: FastifyInstance, { settings }: Context, connections: Connections): void {
  const { MAX_CONNECTIONS, MAX_DOWNLOADS, MAX_DOWNLOADS_PER_ADDRESS } = settings
  app.server.maxConnections = MAX_CONNECTIONS + BOUNDS.http.told
  const downloads = new InFlight(MAX_DOWNLOADS, MAX_DOWNLOADS_PER_ADDRESS)

  app.addHook('onRequest', (request, reply, done) => {
    if (connections.count > MAX_CONNECTIONS && !isOperators(request)) {
      reply.header('connection', 'close')
      return done(new StateError('BUSY', 'The provider has as many connections as it takes at once.'))
    }
    if (connections.carriedBy(request.raw.socket) > BOUNDS.http.pipelined) {
      reply.header('connection', 'close')
      return done(tooMany(reply, 'Too many requests of this connection at once. Wait for the answers.'))
    }
    if (request.method !== 'GET' || !isDownload(request)) return done()
    const refused = downloads.enter(request)
    if (refused === 'address')
      return done(tooMany(reply, 'Too many downloads of this address at once. Try again when one has ended.'))
    if (refused)
      return done(new StateError('BUSY', 'The provider has as many downloads under way as it takes at once.'))
    done()
  })
}

/**
 * Cuts off connections that flood: once their answers pile up they are no longer read, and nobody would see them go.
 * What has already been read of them would still be parsed and answered, a thousand requests at a time; so it is
 * dropped before anything is made of it. To be called before CORS is registered, which answers preflights by itself.
 */
export function cutFloods(app: FastifyInstance, connections: Connections): void {
  for (const handle of app.server.listeners('request')) {
    app.server.off('request', handle as never)
    app.server.on('request', (request, response) => {
      if (!request.socket.destroyed) handle.call(app.server, request, response)
    })
  }
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (connections.carriedBy(socket) > 2 * BOUNDS.http.pipelined) socket.destroy()
    else done()
  })
}

/** Counts requests in flight, in all and by address, each until its lifetime ends. */
export class InFlight {
  private all = 0
  private readonly byAddress = new Map<string, number>()

  /** Most in all, and of one address; 0 of one address is without limit. */
  constructor(
    private readonly max: number,
    private readonly maxOfOne: number,
  ) {}

  /** Counts a request, or answers which of the two limits refuses it. `limited` is whether that by address holds for it. */
  enter(request: FastifyRequest, limited = true): 'address' | 'all' | undefined {
    const address = networkOf(request.ip)
    const own = this.byAddress.get(address) ?? 0
    if (limited && this.maxOfOne > 0 && own >= this.maxOfOne) return 'address'
    if (this.all >= this.max) return 'all'
    this.all += 1
    this.byAddress.set(address, own + 1)
    request.lifetime.onEnd(() => {
      this.all -= 1
      const left = (this.byAddress.get(address) ?? 1) - 1
      if (left > 0) this.byAddress.set(address, left)
      else this.byAddress.delete(address)
    })
    return undefined
  }
}

/** The refusal of an address that has too much in flight: it may come again as soon as something of it has ended. */
export function tooMany(reply: FastifyReply, message: string): LimitError {
  reply.header('retry-after', '1')
  return new LimitError('RATE_LIMITED', message)
}
