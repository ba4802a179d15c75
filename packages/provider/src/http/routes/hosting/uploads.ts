import { CHECKSUM_ALGORITHMS } from '@tidegate/hosting'
import { HostingError } from '@tidegate/protocol'
import type { Endpoint } from '../../endpoints/endpoint.js'
import { withNonce } from '../../endpoints/nonce-use.js'
import { requireTus, UPLOADS_PATH } from '../../files/tus-requests.js'
import { hostingOf, UPLOAD_ID, UPLOADER_PROOF, uploaderProof } from '../../files/uploader.js'
import { answerUpload, creationOf, withUnreadBody } from '../../files/uploading.js'

const PROTOCOL =
  'By the tus protocol 1.0, with creation-with-upload, creation-defer-length, concatenation, expiration and checksum. By auth token, or signed over address + nonce + "upload"; the proof may be sent as headers.'

const ERRORS = [
  'HOSTING_OFF',
  'UPLOAD_INVALID',
  'UPLOAD_VERSION',
  'UPLOAD_LOCKED',
  'UPLOAD_TOO_LARGE',
  'UPLOAD_CHECKSUM',
  'HOSTING_FULL',
  'HOSTING_UNAVAILABLE',
] as const

const HEADERS = {
  'Tus-Resumable': '1.0.0',
  'Upload-Checksum': `Checksum of this part: ${CHECKSUM_ALGORITHMS.join(' or ')}, a space, and the value as base64.`,
}

const LENGTH = 'Bytes of the file, once, if the upload began with Upload-Defer-Length.'

const OFFSET = { 'Upload-Offset': { description: 'Bytes that are durable', schema: { type: 'integer' } } }

/** Creates an upload. */
export const createUpload: Endpoint<'last'> = {
  names: ['uploads'],
  isOffered: ({ uploads }) => uploads.hosting !== undefined,
  method: 'POST',
  path: UPLOADS_PATH,
  nonce: 'last',
  doc: {
    operationId: 'createUpload',
    summary: 'Begin an upload',
    description: `Creates a hosted file, and takes its first bytes if there are any. ${PROTOCOL}`,
    params: UPLOADER_PROOF,
    token: true,
    headers: {
      ...HEADERS,
      'Upload-Length': 'Bytes of the file.',
      'Upload-Defer-Length': '1 instead of Upload-Length, if the length is unknown.',
      'Upload-Concat':
        'partial, or final, a semicolon, and the URLs of up to 64 complete partial uploads, separated by spaces.',
      'Idempotency-Key':
        'Up to 128 visible characters, chosen anew for each file: the same request again finds the upload that it has begun.',
      'Upload-Metadata':
        'filename and filetype, each with its value as base64, separated by a comma; and public, without a value, if anybody may read the file.',
    },
    responses: {
      201: {
        description: 'Created.',
        headers: { ...OFFSET, Location: { description: 'URL of the upload', schema: { type: 'string' } } },
      },
    },
    errors: [...ERRORS, 'NOT_A_PUBLISHER', 'UPLOAD_QUOTA', 'UPLOAD_LOST'],
  },
  register(app, services) {
    const { settings, uploads } = services
    const prove = uploaderProof(services, 'change')
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const { HOSTING_PUBLISHERS: publishers } = settings
      hostingOf(uploads)
      const uploader = await prove(request, nonces)
      if (publishers !== '*' && !publishers.some((one) => one === uploader.address))
        throw new HostingError('NOT_A_PUBLISHER', 'This provider hosts no files of this address.')
      const { owner } = uploader
      const creation = creationOf(request, owner)
      // to join partial uploads is work without a body
      if (request.arrival || request.headers['upload-concat']) uploads.slots.take(owner, request.lifetime)
      return () => answerUpload(services, request, reply, { owner, file: undefined, creation })
    })
    withUnreadBody(app, (scope) => scope.post(UPLOADS_PATH, { onRequest: requireTus }, handler))
  },
}

/** Continues an upload. */
export const continueUpload: Endpoint<'last'> = {
  names: [],
  method: 'PATCH',
  path: `${UPLOADS_PATH}/:id`,
  nonce: 'last',
  doc: {
    operationId: 'continueUpload',
    summary: 'Continue an upload',
    description: `Takes the next bytes. What is acknowledged is durable. ${PROTOCOL}`,
    path: { id: UPLOAD_ID },
    params: UPLOADER_PROOF,
    token: true,
    headers: { ...HEADERS, 'Upload-Offset': 'Bytes received so far.', 'Upload-Length': LENGTH },
    responses: { 204: { description: 'Taken.', headers: OFFSET } },
    errors: [
      ...ERRORS,
      'UPLOAD_TYPE',
      'UPLOAD_FINAL',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_CONFLICT',
      'UPLOAD_LOST',
      'UPLOAD_QUOTA',
    ],
  },
  register(app, services) {
    const { uploads } = services
    const prove = uploaderProof(services, 'change')
    const handler = withNonce(this.nonce, async (request, reply, nonces) => {
      const hosting = hostingOf(uploads)
      const { owner } = await prove(request, nonces)
      const file = await hosting.owned((request.params as { id: string }).id, owner)
      uploads.slots.take(owner, request.lifetime)
      return () => answerUpload(services, request, reply, { owner, file })
    })
    withUnreadBody(app, (scope) => scope.patch(this.path, { onRequest: requireTus }, handler))
  },
}
