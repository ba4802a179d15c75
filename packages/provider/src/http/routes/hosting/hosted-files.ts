import { factsOf, HOSTING_LIMITS, type HostedRow, isPublic, servedType } from '@tidegate/hosting'
import type { ErrorCode } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Provers } from '../../endpoints/consumer.js'
import { type JsonSchema, json, named, object } from '../../endpoints/docs.js'
import type { Endpoint } from '../../endpoints/endpoint.js'
import { type NonceUse, withNonce } from '../../endpoints/nonce-use.js'
import { described, flag, readParams, text } from '../../endpoints/params.js'
import { ownUrl } from '../../endpoints/public-url.js'
import { requireTus, UPLOADS_PATH } from '../../files/tus-requests.js'
import { hostingOf, UPLOAD_ID, UPLOADER_PROOF, type UploaderAction, uploaderProof } from '../../files/uploader.js'
import { answerUpload, withUnreadBody } from '../../files/uploading.js'
import type { Services } from '../../services.js'
import { publicPath } from './public-files.js'

const ONE = `${UPLOADS_PATH}/:id`
const READ =
  'By auth token, or signed over address + nonce + "listUploads", which consumes no nonce and only reads. With a signature over address + nonce + "upload" the nonce is consumed.'

const nullable = (schema: JsonSchema) => ({ anyOf: [schema, { type: 'null' }] })

const FILE_FIELDS = {
  id: { type: 'string' },
  size: nullable({ type: 'integer', description: 'Bytes of the file; null until its length is declared.' }),
  offset: { type: 'integer', description: 'Bytes that are there.' },
  sha256: nullable({ type: 'string', description: 'Hex; null until the file is complete.' }),
  name: nullable({ type: 'string' }),
  contentType: nullable({ type: 'string' }),
  object: nullable({
    type: 'object',
    additionalProperties: true,
    description: 'The storage object to publish; null until the file is complete. Absent if the file is public.',
  }),
  publicUrl: nullable({
    type: 'string',
    description:
      'The URL of a public file, or its path if the service does not know its own; null until it is complete.',
  }),
  expires: nullable({ type: 'integer', description: 'When an upload that is not complete ends: seconds since 1970.' }),
}

/** A private file has the one, a public file the other. */
const EITHER = ['object', 'publicUrl']

const LISTED = named(
  'ListedUpload',
  object(
    {
      ...FILE_FIELDS,
      assets: { type: 'array', items: { type: 'string' }, description: 'DIDs of the first assets that use the file.' },
    },
    EITHER,
  ),
)

const ERRORS: readonly ErrorCode[] = ['HOSTING_OFF', 'UPLOAD_NOT_FOUND']

/** Lists the files of a publisher and the assets that use them. */
export const listUploads: Endpoint<'last'> = {
  names: [],
  method: 'GET',
  path: UPLOADS_PATH,
  nonce: 'last',
  doc: {
    operationId: 'listUploads',
    summary: "List one's hosted files",
    description: `Files of the address, a page at a time, with the assets that use them. ${READ}`,
    params: {
      ...UPLOADER_PROOF,
      after: described(text, 'The id that the page follows: `next` of the last one.').optional(),
    },
    token: true,
    responses: {
      200: json(
        'A page.',
        named('UploadPage', object({ uploads: { type: 'array', items: LISTED }, next: { type: 'string' } }, ['next'])),
      ),
    },
    errors: ['HOSTING_OFF'],
  },
  register(app, services) {
    const prove = uploaderProof(services, 'read')
    const query = z.object({ after: text.optional() })
    app.route({
      method: 'GET',
      url: UPLOADS_PATH,
      exposeHeadRoute: false,
      handler: withNonce(this.nonce, async (request, reply, nonces) => {
        const hosting = hostingOf(services.uploads)
        const { owner } = await prove(request, nonces)
        const { after = '' } = readParams(query, request)
        const base = ownUrl(request, services.settings)
        return async () => {
          const rows = await hosting.list(owner, after, HOSTING_LIMITS.hosting.page)
          const using = await hosting.uses.assetsOf(rows)
          const uploads = rows.map((row) => {
            return { ...shown(row, base), assets: (using.get(row.id) ?? []).map(({ did }) => did) }
          })
          const next = rows.length === HOSTING_LIMITS.hosting.page ? { next: rows.at(-1)?.id } : {}
          return reply.send({ uploads, ...next })
        }
      }),
    })
  },
}

/** Shows a file of a publisher. HEAD returns its offset (tus protocol). */
export const showUpload: Endpoint<'last'> = {
  names: [],
  method: 'GET',
  path: ONE,
  nonce: 'last',
  doc: {
    operationId: 'getUpload',
    summary: 'Show a hosted file',
    description: `A file of the address, complete or not. HEAD answers by the tus protocol. ${READ}`,
    path: { id: UPLOAD_ID },
    params: UPLOADER_PROOF,
    token: true,
    head: true,
    responses: { 200: json('The file.', named('Upload', object(FILE_FIELDS, EITHER))) },
    errors: [...ERRORS, 'UPLOAD_VERSION'],
  },
  register(app, services) {
    const own = ownFile(services, 'read')
    app.route({
      method: 'HEAD',
      url: ONE,
      onRequest: requireTus,
      handler: withNonce(this.nonce, async (request, reply, nonces) => {
        const { owner, file } = await own(request, nonces)
        // like a part, it waits for the writer of the file
        services.uploads.slots.take(owner, request.lifetime)
        return () => answerUpload(services, request, reply, { owner, file })
      }),
    })
    app.route({
      method: 'GET',
      url: ONE,
      exposeHeadRoute: false,
      handler: withNonce(this.nonce, async (request, reply, nonces) => {
        const { file } = await own(request, nonces)
        return async () => reply.send(shown(file, ownUrl(request, services.settings)))
      }),
    })
  },
}

/** Deletes a file of a publisher. */
export const deleteUpload: Endpoint<'last'> = {
  names: [],
  method: 'DELETE',
  path: ONE,
  nonce: 'last',
  doc: {
    operationId: 'deleteUpload',
    summary: 'Delete a hosted file',
    description: `Deletes a file of the address, complete or not; one that assets use only with force. By auth token, or signed over address + nonce + "upload"; the nonce is consumed.`,
    path: { id: UPLOAD_ID },
    params: { ...UPLOADER_PROOF, force: described(flag, 'Delete the file although assets use it.').optional() },
    token: true,
    responses: { 204: { description: 'Deleted.' } },
    errors: [...ERRORS, 'UPLOAD_IN_USE', 'UPLOAD_VERSION'],
  },
  register(app, services) {
    const own = ownFile(services, 'change')
    const query = z.object({ force: flag.optional() })
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const { file } = await own(request, nonces)
      const { force = false } = readParams(query, request)
      return async () => {
        await hostingOf(services.uploads).remove(file, force)
        return reply.code(204).send()
      }
    })
    withUnreadBody(app, (scope) => scope.delete(ONE, { onRequest: requireTus }, handler))
  },
}

/** Creates the look-up of a file by its authenticated publisher. It throws the errors of uploaderProof and Hosting.owned. */
function ownFile(services: Provers & Pick<Services, 'uploads'>, action: UploaderAction) {
  const prove = uploaderProof(services, action)
  return async (request: FastifyRequest, nonces: NonceUse) => {
    const hosting = hostingOf(services.uploads)
    const { owner } = await prove(request, nonces)
    return { owner, file: await hosting.owned((request.params as { id: string }).id, owner) }
  }
}

/** Returns the description of a file. `base`: the URL of this service, if it is known. */
function shown(file: HostedRow, base = '') {
  const { id, size, isDeferred, concat, received: offset, sha256, metadata, expiresAt } = file
  const facts = factsOf(metadata)
  const { name = null, contentType = null } = facts
  const isComplete = sha256 !== null
  const isReady = isComplete && concat !== 'partial'
  const path = () => publicPath(id, { ...facts, contentType: servedType(facts.contentType) })
  return {
    ...{ id, size: isDeferred ? null : size, offset, sha256, name, contentType },
    ...(isPublic(file)
      ? { publicUrl: isReady ? base + path() : null }
      : { object: isReady ? { type: 'hosted', id } : null }),
    expires: isComplete ? null : Math.floor(expiresAt / 1000),
  }
}
