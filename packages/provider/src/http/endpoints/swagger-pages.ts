import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * Returns an app that listens nowhere and has the pages of Swagger UI below `prefix`, for an OpenAPI document. Rejects if
 * they cannot be loaded, and may be tried again.
 */
export async function swaggerPages(prefix: string, document: object): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: prefix,
    uiConfig: { docExpansion: 'list', defaultModelsExpandDepth: -1 },
    theme: { title: 'Tidegate API', css: [{ filename: 'tidegate.css', content: '.topbar { display: none }' }] },
    staticCSP: true,
  })
  return app
}
