import type { FastifyInstance } from 'fastify'
import { BOUNDS } from '../bounds.js'
import { ValidationError } from '../errors.js'
import { assertShape } from '../json.js'

/**
 * Has the shape of every JSON body looked at before it is parsed: ten megabytes of brackets take the parser seconds,
 * and no route takes a body of many parts. A body that is refused is told so under `body`.
 */
export function boundJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      assertShape(body as string, BOUNDS.body)
    } catch (error) {
      return done(ValidationError.of('body', `The body ${(error as Error).message}.`))
    }
    return parse(request, body as string, done)
  })
}
