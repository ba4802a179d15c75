import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.js'
import { LimitError, StateError } from '../errors.js'
import { isDownload, isOperators } from './limits.js'

/** Connections above the cap that are still taken, to be told so; further ones are closed without a word. */
const TOLD = 1000

/**
 * Caps on what one process does at once: connections, downloads, and downloads of one address. What is above is told
 * to come again; what is under way is never cut for it.
 */
export function capUse(app: FastifyInstance, { settings }: Context, connections: () => number): void {
  const { MAX_CONNECTIONS, MAX_DOWNLOADS, MAX_DOWNLOADS_PER_ADDRESS } = settings
  app.server.maxConnections = MAX_CONNECTIONS + TOLD
  let downloads = 0
  const byAddress = new Map<string, number>()

  app.addHook('onRequest', (request, reply, done) => {
    if (connections() > MAX_CONNECTIONS && !isOperators(request)) {
      reply.header('connection', 'close')
      return done(new StateError('BUSY', 'The provider has as many connections as it takes at once.'))
    }
    if (request.method !== 'GET' || !isDownload(request)) return done()
    const { ip } = request
    const own = byAddress.get(ip) ?? 0
    if (MAX_DOWNLOADS_PER_ADDRESS > 0 && own >= MAX_DOWNLOADS_PER_ADDRESS) {
      reply.header('retry-after', '1')
      return done(
        new LimitError('RATE_LIMITED', 'Too many downloads of this address at once. Try again when one has ended.'),
      )
    }
    if (downloads >= MAX_DOWNLOADS)
      return done(new StateError('BUSY', 'The provider has as many downloads under way as it takes at once.'))
    downloads += 1
    byAddress.set(ip, own + 1)
    reply.raw.on('close', () => {
      downloads -= 1
      const left = (byAddress.get(ip) ?? 1) - 1
      if (left > 0) byAddress.set(ip, left)
      else byAddress.delete(ip)
    })
    done()
  })
}
