import { assertShape, PROTOCOL_LIMITS, ValidationError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * Registers a JSON body parser that checks the shape of the text first: JSON.parse takes seconds for ten megabytes of
 * brackets. Problems are reported under the field `body`.
 */
export function registerJsonParser(app: FastifyInstance): void {
  // many clients send a content type also without a body, for example with DELETE
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'DELETE' && !hasBody(request)) delete request.raw.headers['content-type']
    done()
  })
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      assertShape(body as string, PROTOCOL_LIMITS.body)
    } catch (error) {
      return done(ValidationError.of('body', `The body ${(error as Error).message}.`))
    }
    if (request.method === 'DELETE' && body === '') return done(null, undefined)
    return parse(request, body as string, done)
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
