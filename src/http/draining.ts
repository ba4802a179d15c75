import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { RequestError } from '../errors.js'
import { cameOver } from '../turn.js'
import { sendError } from './errors.js'

/**
 * Lets answers arrive before the server closes. The server's own way of closing takes an answer for ended when its
 * last byte has been handed to the system, and a connection that nobody owns any more may be reset while its consumer
 * still reads. So each connection is closed on this side when its answer has ended, and waited for until the consumer
 * closes it too.
 */
export class Draining {
  private readonly sockets = new Set<Socket>()
  /** Connections with an answer under way. */
  private readonly busy = new Set<Socket>()
  private begun = false
  private ended: () => void = () => undefined

  constructor(private readonly app: FastifyInstance) {
    app.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket)
      socket.once('close', () => {
        this.sockets.delete(socket)
        if (this.sockets.size === 0) this.ended()
      })
    })
    app.addHook('onRequest', (request, reply, done) => {
      const { socket } = request.raw
      cameOver(socket)
      this.busy.add(socket)
      reply.raw.on('close', () => {
        this.busy.delete(socket)
        if (this.begun) socket.end()
      })
      if (!this.begun) return done()
      // a connection that was kept open: the next request belongs to another instance
      reply.header('connection', 'close')
      sendError(new RequestError('STOPPING', 'This instance is stopping. Send the request again.'), request, reply)
    })
  }

  /** How many connections there are. */
  get connections(): number {
    return this.sockets.size
  }

  /** Takes no new connections, waits for those that there are up to `limit` milliseconds, and closes. */
  async close(limit: number): Promise<void> {
    this.begun = true
    NetServer.prototype.close.call(this.app.server)
    for (const socket of this.sockets) if (!this.busy.has(socket)) socket.end()
    if (this.sockets.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limit)
        this.ended = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.app.server.closeAllConnections()
    await this.app.close()
  }
}
