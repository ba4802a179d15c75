import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.js'
import type { EndpointDoc } from './docs.js'
import type { NonceTime } from './nonce-use.js'

/** An endpoint: discovery names, description and route. */
export interface Endpoint<Time extends NonceTime = NonceTime> {
  /** Names in the serviceEndpoints of the root document. Empty if clients do not discover it there. */
  names: readonly string[]
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** When the route consumes the nonce of a signature: `withNonce` does it. */
  nonce: Time
  /** Needs no order: the limits of anonymous requests apply. */
  anonymous?: true
  /** Whether the root document lists the endpoint. Default: always. */
  isOffered?(services: Services): boolean
  doc: EndpointDoc
  register(app: FastifyInstance, services: Services): void
}

/** Prefix of the service's own routes (service specification, "Versioning"). */
export const PREFIX = '/api/services'

/** Registers routes that receive the body as raw bytes, whatever its content type: checks and hashes cover the bytes. */
export function withRawBody(app: FastifyInstance, routes: (app: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    routes(scope)
  })
}
