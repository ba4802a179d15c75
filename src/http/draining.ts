import { Server as NetServer } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { RequestError } from '../errors.js'
import { sendError } from './errors.js'

/**
 * Lets answers end before the server closes. The server's own way of closing takes an answer for ended when its last
 * byte has been handed to it, and cuts connections whose consumers have yet to read it.
 */
export class Draining {
  private readonly active = new Set<FastifyReply['raw']>()
  private begun = false
  private ended: () => void = () => undefined

  constructor(private readonly app: FastifyInstance) {
    app.addHook('onRequest', async (request, reply) => {
      this.active.add(reply.raw)
      reply.raw.once('close', () => {
        this.active.delete(reply.raw)
        if (this.active.size === 0) this.ended()
      })
      if (!this.begun) return
      // a connection that was kept open: the next request belongs to another instance
      reply.header('connection', 'close').header('retry-after', '1')
      return sendError(
        new RequestError('STOPPING', 'This instance is stopping. Send the request again.'),
        request,
        reply,
      )
    })
  }

  /** Takes no new connections, waits for the answers that are under way up to `limit` milliseconds, and closes. */
  async close(limit: number): Promise<void> {
    this.begun = true
    NetServer.prototype.close.call(this.app.server)
    if (this.active.size > 0)
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
