import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'

/** Response headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Last-Modified',
  'Repr-Digest',
  'Retry-After',
  'X-Request-Id',
  'Location',
  'Payment-Required',
  'Payment-Response',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Defer-Length',
  'Upload-Concat',
  'Upload-Metadata',
  'Upload-Expires',
]

/** Allows scripts of other origins. The plugin answers preflights, so later hooks do not see them. */
export async function allowOrigins(app: FastifyInstance, { CORS_ORIGINS }: Pick<Settings, 'CORS_ORIGINS'>) {
  await app.register(cors, {
    origin: CORS_ORIGINS ?? '*',
    maxAge: PROVIDER_LIMITS.http.preflight,
    // as text: a list would be joined for each response
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    strictPreflight: false,
  })
}
