import { RequestError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendError, sendFixed } from './errors.js'

/**
 * Answers unknown paths with 404, and other methods of known paths with 405 and Allow. Runs before the body is read,
 * since no route limits its type and size. Must be registered before the routes.
 */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    allowed.set(url, methods)
  })
  app.setNotFoundHandler(refuse)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    refuse(request, reply)
  })

  function refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // the router ignores case and doubled slashes too
    const path = (request.url.split('?')[0] as string).replace(/\/{2,}/g, '/').toLowerCase()
    const pattern = [...allowed.keys()].find((url) => url !== '*' && matches(url.toLowerCase(), path))
    if (pattern) {
      reply.header('allow', [...(allowed.get(pattern) as Set<string>)].join(', '))
      return sendFixed(reply, 'METHOD')
    }
    return sendError(new RequestError('ROUTE_NOT_FOUND', 'No such path. GET / lists every path.'), request, reply)
  }
}

/** Whether a path matches the pattern of a route. `:name` matches one segment, a final `:name?` or none, a final `*` any number. */
function matches(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1))
  const expected = pattern.split('/')
  const segments = path.replace(/(.)\/$/, '$1').split('/')
  const missing = expected.length - segments.length
  return (
    (missing === 0 || (missing === 1 && pattern.endsWith('?'))) &&
    segments.every((segment, index) => expected[index]?.startsWith(':') || expected[index] === segment)
  )
}
