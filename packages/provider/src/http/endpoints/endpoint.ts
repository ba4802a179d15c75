import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.js'
import type { EndpointDoc } from './docs.js'

/** One endpoint: its discovery names, its description and its route. */
export interface Endpoint {
  /** Names in the root document's serviceEndpoints; empty if clients do not discover it there. */
  names: readonly string[]
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Needs no order, and is therefore limited by the budgets for anonymous requests. */
  anonymous?: true
  /** Whether the root document names it, if that depends on the settings. */
  isOffered?(services: Services): boolean
  doc: EndpointDoc
  register(app: FastifyInstance, services: Services): void
}

/** Prefix of the service's own routes (service specification, "Versioning"). */
export const PREFIX = '/api/services'

/**
 * Registers routes that receive the raw bytes of the body, whatever the content type: checks and hashes are computed
 * over those bytes.
 */
export function withRawBody(app: FastifyInstance, routes: (app: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    routes(scope)
  })
}
