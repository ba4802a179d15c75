import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../limits.js'

type Message = FastifyRequest['raw']

/**
 * Lets clients read a response that closes the connection while they still send: refusals of large bodies, for instance.
 * Node closes such a connection with bytes unread, upon which the kernel resets it, and the response may be lost on the
 * way; nginx then answers 502 in its place (RFC 9112, section 9.6). So the connection is half-closed, and what arrives
 * is discarded for a bounded time.
 */
export function lingerWhenClosing(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && reply.getHeader('connection') === 'close') lingerOn(request.raw)
    done(null, payload)
  })
}

function lingerOn(message: Message): void {
  const { socket } = message
  // Node calls it when the response has been sent
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), PROVIDER_LIMITS.http.linger).unref()
    socket.once('close', () => clearTimeout(timer))
    if (message.complete) return void socket.destroy()
    message.once('end', () => socket.destroy())
    message.resume()
  }
}
