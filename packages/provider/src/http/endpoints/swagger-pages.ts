import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * Returns an app with the pages of Swagger UI below `prefix`. It does not listen. Rejects if the pages cannot be loaded;
 * a later call may succeed.
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
