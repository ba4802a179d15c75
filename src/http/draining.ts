import { Server as NetServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../errors.js'
import { cameOver } from '../turn.js'
import { sendError } from './errors.js'
import type { Connections } from './lifetime.js'

/**
 * Lets answers arrive before the server closes. The server's own way of closing takes an answer for ended when its
 * last byte has been handed to the system, and a connection that nobody owns any more may be reset while its consumer
 * still reads. So each connection is closed on this side when its answer has ended, and waited for until the consumer
 * closes it too.
 */
export class Draining {
  private begun = false

  constructor(
    private readonly app: FastifyInstance,
    private readonly connections: Connections,
  ) {
    app.addHook('onRequest', (request, reply, done) => {
      const { socket } = request.raw
      cameOver(socket)
      request.lifetime.onEnd(() => {
        if (this.begun) socket.end()
      })
      if (!this.begun) return done()
      // a connection that was kept open: the next request belongs to another instance
      reply.header('connection', 'close')
      sendError(new RequestError('STOPPING', 'This instance is stopping. Send the request again.'), request, reply)
    })
  }

  /** Takes no new connections, waits for those that there are up to `limit` milliseconds, and closes. */
  async close(limit: number): Promise<void> {
    this.begun = true
    NetServer.prototype.close.call(this.app.server)
    for (const socket of this.connections.sockets) if (this.connections.carriedBy(socket) === 0) socket.end()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limit)
      this.connections.onIdle(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    this.app.server.closeAllConnections()
    await this.app.close()
  }
}
