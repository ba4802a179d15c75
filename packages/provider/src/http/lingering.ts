import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../limits.js'

type Message = FastifyRequest['raw']

/**
 * Lets clients read a response that closes the connection while they still send, such as the refusal of a large body.
 * Node closes such a connection with unread bytes, so the kernel resets it and the response may be lost; nginx then
 * answers 502 (RFC 9112, section 9.6). Here the connection is half-closed first, and further input is discarded for a
 * limited time.
 */
export function lingerWhenClosing(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && reply.getHeader('connection') === 'close') lingerOn(request.raw)
    done(null, payload)
  })
}

function lingerOn(message: Message): void {
  const { socket } = message
  // Node calls it after the response
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), PROVIDER_LIMITS.http.linger).unref()
    socket.once('close', () => clearTimeout(timer))
    if (message.complete) return void socket.destroy()
    message.once('end', () => socket.destroy())
    message.resume()
  }
}
