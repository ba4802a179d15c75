import { RequestError } from '@tidegate/protocol'
import type { Operator } from '@tidegate/protocol/operator'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.js'
import { openApiDocument } from './openapi.js'
import { swaggerPages } from './swagger-pages.js'

/** Request headers for a conditional GET. */
const CONDITIONS = ['if-none-match', 'if-modified-since']

/** Response headers about the connection, not about the page. */
const OF_CONNECTION = ['connection', 'content-length', 'date']

/**
 * Serves the OpenAPI document at /spec and /openapi.json, and Swagger UI at /api/docs. Both are created at their first
 * request, since most instances never need them.
 */
export function registerDocumentation(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  operator: Operator | undefined,
): void {
  let document: object | undefined
  const openApi = () => (document ??= openApiDocument(endpoints, operator))
  for (const path of ['/spec', '/openapi.json']) app.get(path, async () => openApi())

  let pages: Promise<FastifyInstance> | undefined
  for (const path of ['/api/docs', '/api/docs/*'])
    app.get(path, async ({ url, headers }, reply) => {
      pages ??= swaggerPages('/api/docs', openApi()).catch((error) => {
        pages = undefined
        throw error
      })
      const conditions = Object.fromEntries(Object.entries(headers).filter(([name]) => CONDITIONS.includes(name)))
      const page = await (await pages).inject({ url, headers: conditions })
      // also a path outside of its folder
      if (page.statusCode >= 400) throw new RequestError('ROUTE_NOT_FOUND', 'The API documentation has no such file.')
      const described = Object.entries(page.headers).filter(([name]) => !OF_CONNECTION.includes(name))
      return reply.code(page.statusCode).headers(Object.fromEntries(described)).send(page.rawPayload)
    })
}
