import type { Socket } from 'node:net'
import type { TickBatch } from '@tidegate/common'
import { DATABASE_LIMITS } from '@tidegate/database'
import { RequestError } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'
import { sendError } from './errors.js'
import type { Connections } from './lifetime.js'
import { closeListener } from './listener.js'

/**
 * Drains connections before the server closes. Node's `close` considers a response finished when its last byte is in the
 * socket buffer, but the connection may be reset while the client still reads. So each connection is half-closed after
 * its response, and the drain waits until the client closes it. It also waits for the first request of new connections:
 * a proxy does not repeat a POST.
 */
export class Draining {
  private stopping = false
  /** Connections before their first request. */
  private readonly awaited = new Set<Socket>()

  constructor(
    private readonly app: FastifyInstance,
    private readonly connections: Connections,
    batch: TickBatch,
  ) {
    app.addHook('onRequest', (request, reply, done) => {
      const { socket } = request.raw
      batch.requestFrom(socket)
      request.lifetime.onEnd(() => {
        if (this.stopping) socket.end()
      })
      if (!this.stopping) return done()
      reply.header('connection', 'close')
      if (this.awaited.delete(socket)) return done()
      // on a keep-alive connection, the next request belongs to another instance
      sendError(new RequestError('STOPPING', 'This instance is stopping. Send the request again.'), request, reply)
    })
  }

  /** Stops accepting connections, drains the open ones for up to `limit` milliseconds, and closes. */
  async close(limit: number): Promise<void> {
    await closeListener(this.app.server)
    this.stopping = true
    for (const socket of this.connections.sockets)
      if (this.connections.isFresh(socket)) this.awaited.add(socket)
      else if (this.connections.inFlightOn(socket) === 0) socket.end()
    const patience = setTimeout(() => {
      for (const socket of this.awaited) socket.end()
    }, DATABASE_LIMITS.stop.firstRequest)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limit)
      this.connections.onIdle(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    clearTimeout(patience)
    this.app.server.closeAllConnections()
    await this.app.close()
  }
}
