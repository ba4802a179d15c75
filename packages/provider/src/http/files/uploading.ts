import { type Creation, HOSTING_LIMITS, normalMetadata, PartChecksum, type Uploader } from '@tidegate/hosting'
import { ValidationError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../services.js'
import { tusHeaders, UPLOADS_PATH } from './tus-requests.js'
import { hostingOf } from './uploader.js'

/**
 * Answers a request of the tus protocol (POST, HEAD, PATCH). The bytes go from the connection to their place, and are
 * read no faster than they are written. Throws what Hosting.answer throws, and ValidationError for a bad
 * checksum or metadata header.
 */
export async function answerUpload(
  { settings, uploads }: Pick<Services, 'settings' | 'uploads'>,
  request: FastifyRequest,
  reply: FastifyReply,
  uploader: Pick<Uploader, 'owner' | 'file' | 'creation'>,
): Promise<FastifyReply> {
  const { method, raw } = request
  const sum = request.headers['upload-checksum']
  const checksum = sum === undefined ? undefined : PartChecksum.parse(String(sum))
  const metadata = method === 'POST' ? normalMetadata(String(request.headers['upload-metadata'] ?? '')) : ''
  const base = settings.PUBLIC_URL ?? ''
  if (method !== 'HEAD') {
    request.arrival?.allowSteady(settings.HOSTING_STALL_TIMEOUT, HOSTING_LIMITS.hosting.steady)
    const { uploadsActive } = uploads.metrics
    uploadsActive.inc()
    request.lifetime.onEnd(() => uploadsActive.dec())
  }
  const tus = {
    method,
    path: UPLOADS_PATH,
    headers: tusHeaders(request),
    body: method === 'HEAD' ? undefined : raw,
    urlOf: (id: string) => `${base}${UPLOADS_PATH}/${id}`,
    signal: request.lifetime.signal,
  }
  const response = await hostingOf(uploads).answer(tus, { ...uploader, checksum, metadata })
  // cross-origin headers are the service's own
  for (const [name, value] of response.headers) if (!name.startsWith('access-control-')) reply.header(name, value)
  // of a creation that was repeated the body is not read
  if (!raw.complete) reply.header('connection', 'close')
  return reply.code(response.status).send()
}

/** Registers routes whose body is left on the connection, whatever its type and length. */
export function withUnreadBody(app: FastifyInstance, routes: (app: FastifyInstance) => void): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    // a refused upload may have gigabytes to come, which are not read
    scope.addHook('onError', async (request, reply) => {
      if (!request.raw.complete) reply.header('connection', 'close')
    })
    routes(scope)
  })
}

/** Returns the identity of a creation that may be repeated; undefined without an Idempotency-Key. Throws ValidationError. */
export function creationOf({ headers }: FastifyRequest, owner: string): Creation | undefined {
  const { 'idempotency-key': key, 'upload-length': length = '', 'upload-metadata': metadata = '' } = headers
  const isPartial = headers['upload-concat'] === 'partial'
  if (key === undefined) return undefined
  const { idempotencyKey: most } = HOSTING_LIMITS.hosting
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > most)
    throw ValidationError.of('Idempotency-Key', `The Idempotency-Key header must be 1 to ${most} visible characters.`)
  return { owner, key, length: isPartial ? `${length} partial` : String(length), metadata: String(metadata) }
}
