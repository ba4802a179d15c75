import { isForeignPage, type LocalOnly } from '@tidegate/common'
import { RequestError } from '@tidegate/protocol'
import type { FastifyInstance } from 'fastify'
import { sendError } from './errors.js'

/** Refuses requests of foreign pages. Must be called before CORS is registered, which answers preflights. */
export function refuseForeignPages(app: FastifyInstance, local: LocalOnly): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!isForeignPage(request, local)) return done()
    const reason = 'This development service answers only this machine and its pages. See `tidegate dev --help`.'
    sendError(new RequestError('FOREIGN_PAGE', reason), request, reply)
  })
}
