import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.js'
import type { EndpointDoc } from './docs.js'

/** One endpoint: how clients find it in the root document, and how it is put on a server. */
export interface Endpoint {
  /** Names in the root document's serviceEndpoints; none for what clients do not discover there. */
  names: readonly string[]
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Whether anybody may ask without an order, which has budgets of its own. */
  anonymous?: true
  doc: EndpointDoc
  register(app: FastifyInstance, context: Context): void
}

/** Prefix of the service's own routes (service specification, "Versioning"). */
export const PREFIX = '/api/services'

/**
 * Registers routes that take their body as the bytes that were sent, whatever the content type: the checks and hashes
 * are over those bytes.
 */
export function withRawBody(app: FastifyInstance, routes: (app: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    routes(scope)
  })
}
