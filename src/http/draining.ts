import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { BOUNDS } from '../bounds.js'
import { RequestError } from '../errors.js'
import type { TickBatch } from '../process/tick-batch.js'
import { sendError } from './errors.js'
import type { Connections } from './lifetime.js'

/** Milliseconds that a turn of the event loop takes in which next to nothing happened, and to wait for one at most. */
const SHORT_TURN = 0.1
const LONGEST_WAIT = 1000

/**
 * Waits until the server has accepted the connections that the system has made: closing before resets them, and a proxy
 * sends no POST a second time. Node accepts one in a turn of the event loop. So this waits for a turn in which there was
 * none, and for a short one, since in a long one more may have come.
 */
async function allAccepted(server: NetServer): Promise<void> {
  let accepted = 0
  const count = () => void accepted++
  server.on('connection', count)
  const limit = performance.now() + LONGEST_WAIT
  // the rest of this turn may be past the point where connections are accepted
  await setImmediate()
  for (let begun = performance.now(), before = accepted; ; begun = performance.now(), before = accepted) {
    await setImmediate()
    const ended = performance.now()
    if ((accepted === before && ended - begun < SHORT_TURN) || ended > limit) break
  }
  server.off('connection', count)
}

/**
 * Drains connections before the server closes. Node's own `close` considers a response finished once its last byte is
 * in the socket buffer, and an orphaned connection may be reset while the client still reads. So each connection is
 * half-closed when its response ends, and the drain waits until the client closes it too. A connection that was accepted
 * and has sent nothing yet is waited for: its request is on its way, and a proxy sends no POST a second time.
 */
export class Draining {
  private stopping = false
  /** Connections whose first request is still to come. */
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
      // a keep-alive connection: its next request belongs to another instance
      sendError(new RequestError('STOPPING', 'This instance is stopping. Send the request again.'), request, reply)
    })
  }

  /** Stops accepting connections, drains the open ones for up to `limit` milliseconds, and closes. */
  async close(limit: number): Promise<void> {
    await allAccepted(this.app.server)
    this.stopping = true
    NetServer.prototype.close.call(this.app.server)
    for (const socket of this.connections.sockets)
      if (this.connections.isFresh(socket)) this.awaited.add(socket)
      else if (this.connections.inFlightOn(socket) === 0) socket.end()
    const patience = setTimeout(() => {
      for (const socket of this.awaited) socket.end()
    }, BOUNDS.stop.firstRequest)
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
