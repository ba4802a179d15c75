import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from './endpoint.js'
import { openApiDocument } from './openapi.js'

/** Serves the OpenAPI document at /spec and /openapi.json, and Swagger UI at /api/docs. */
export async function registerDocumentation(app: FastifyInstance, endpoints: readonly Endpoint[]): Promise<void> {
  const document = openApiDocument(endpoints)
  for (const path of ['/spec', '/openapi.json']) app.get(path, async () => document)
  await app.register(swagger, { mode: 'static', specification: { document: document as never } })
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    uiConfig: { docExpansion: 'list', defaultModelsExpandDepth: -1 },
    theme: { title: 'Tidegate API', css: [{ filename: 'tidegate.css', content: '.topbar { display: none }' }] },
    staticCSP: true,
  })
}
