import { StateError } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Connections, Lifetime } from '../lifetime.js'
import { networkOf } from './address.js'
import { limitShares } from './connection-shares.js'
import { isDownload, isHealthProbe } from './rate-limits.js'
import { tooManyInFlight } from './retry-later.js'

/**
 * Refuses requests above the limits of this process: connections, their share by address, requests of a connection, downloads, and downloads of
 * an address. Excess requests get 503 or 429. Requests in flight continue.
 */
export function limitConcurrency(app: FastifyInstance, settings: Settings, connections: Connections): void {
  const { MAX_CONNECTIONS, MAX_DOWNLOADS, MAX_DOWNLOADS_PER_ADDRESS, TRUSTED_PROXIES: trusted = [] } = settings
  app.server.maxConnections = MAX_CONNECTIONS + PROVIDER_LIMITS.http.excessConnections
  limitShares(app, { max: MAX_CONNECTIONS, trusted }, connections)
  const downloads = new ConcurrencyLimiter(MAX_DOWNLOADS, MAX_DOWNLOADS_PER_ADDRESS)

  app.addHook('onRequest', (request, reply, done) => {
    if (connections.count > MAX_CONNECTIONS && !isHealthProbe(request)) {
      reply.header('connection', 'close')
      return done(new StateError('BUSY', 'The provider has reached its limit of connections.'))
    }
    if (connections.inFlightOn(request.raw.socket) > PROVIDER_LIMITS.http.pipelined) {
      reply.header('connection', 'close')
      return done(tooManyInFlight('Too many requests in flight on this connection. Wait for the responses.'))
    }
    if (request.method !== 'GET' || !isDownload(request)) return done()
    const refused = downloads.enter(networkOf(request.ip), request.lifetime)
    if (refused === 'own')
      return done(tooManyInFlight('Too many downloads in flight from this address. Try again when one has ended.'))
    if (refused) return done(new StateError('BUSY', 'The provider has reached its limit of downloads in flight.'))
    done()
  })
}

/**
 * Destroys connections that flood. Their responses pile up, so back-pressure stops reading, and a close would go
 * unnoticed. Received input is dropped first: otherwise it would still be parsed, a thousand requests at a time. Must be
 * called before CORS is registered, which handles preflights itself.
 */
export function dropFloodingConnections(app: FastifyInstance, connections: Connections): void {
  for (const handle of app.server.listeners('request')) {
    app.server.off('request', handle as never)
    app.server.on('request', (request, response) => {
      if (!request.socket.destroyed) handle.call(app.server, request, response)
    })
  }
  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (connections.inFlightOn(socket) > 2 * PROVIDER_LIMITS.http.pipelined) socket.destroy()
    else done()
  })
}

/** Counts requests in flight, in total and by client (an address or a publisher), until their lifetimes end. */
export class ConcurrencyLimiter {
  private total = 0
  private readonly byClient = new Map<string, number>()

  /** Maxima in total and per client. `maxPerClient` 0: no limit. */
  constructor(
    private readonly max: number,
    private readonly maxPerClient: number,
  ) {}

  /** Counts a request, or returns the exceeded limit. `limited`: whether the limit per client applies. */
  enter(client: string, lifetime: Lifetime, limited = true): 'own' | 'all' | undefined {
    const own = this.byClient.get(client) ?? 0
    if (limited && this.maxPerClient > 0 && own >= this.maxPerClient) return 'own'
    if (this.total >= this.max) return 'all'
    this.total += 1
    this.byClient.set(client, own + 1)
    lifetime.onEnd(() => {
      this.total -= 1
      const left = (this.byClient.get(client) ?? 1) - 1
      if (left > 0) this.byClient.set(client, left)
      else this.byClient.delete(client)
    })
    return undefined
  }
}
