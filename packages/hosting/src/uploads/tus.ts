import type { Readable } from 'node:stream'
import { type ErrorCode, HostingError, type ProviderError } from '@tidegate/protocol'
import { Server } from '@tus/server'
import { HOSTING_LIMITS, type HostingLimits } from '../limits.js'
import { notFound, tooLarge } from '../refusals.js'
import { concatHeader } from './concatenation.js'
import type { PartTools } from './part-writer.js'
import { type Uploader, UploadStore } from './upload-store.js'

/** A tus request: POST, HEAD or PATCH. */
export interface TusRequest {
  method: string
  path: string
  headers: Headers
  /** Read with back-pressure, never destroyed. */
  body: Readable | undefined
  /** Returns the URL of a new upload. */
  urlOf(id: string): string
  /** Aborts when the client leaves. Partial uploads are then joined no further. */
  signal?: AbortSignal
}

/** Error codes for refusals of the tus server, by status. All others are UPLOAD_INVALID. */
const CODES: Record<number, ErrorCode> = { 409: 'UPLOAD_CONFLICT', 413: 'UPLOAD_TOO_LARGE' }

/**
 * Answers a request with a tus server of its own. `id`: of the existing file, or of the one to create.
 * @throws HostingError, ValidationError, StateError, or the error of the backend
 */
export async function answerTus(
  request: TusRequest,
  tools: PartTools,
  limits: HostingLimits,
  uploader: Uploader,
  id: string,
): Promise<Response> {
  const { method, headers, body } = request
  const { file } = uploader
  const isPartial = headers.get('upload-concat') === 'partial'
  // the tus server refuses the header; the store records it
  if (isPartial) headers.delete('upload-concat')
  // a client that lost the response declares the length once more
  if (file && !file.isDeferred && headers.get('upload-length') === String(file.size)) headers.delete('upload-length')
  const store = new UploadStore(tools, limits, { ...uploader, concat: isPartial ? 'partial' : null }, body)
  let failure: unknown
  const server = new Server({
    path: request.path,
    datastore: store,
    locker: store.locker,
    lockDrainTimeout: HOSTING_LIMITS.hosting.lockDrain,
    maxSize: limits.maxFile,
    namingFunction: () => id,
    getFileIdFromRequest: () => uploader.file?.id,
    generateUrl: (_, { id }) => request.urlOf(id),
    onResponseError(_, error) {
      failure = error
      return undefined
    },
  })
  // only the fields that the server reads: a `Request` refuses some headers. The store reads the body
  const asked = { method, headers, url: `http://localhost${request.path}` }
  const response = await server.handleWeb(asked as unknown as Parameters<Server['handleWeb']>[0])
  // set here, since the tus server decodes values as UTF-8, and they may be any bytes
  if (method === 'HEAD' && uploader.file?.metadata) response.headers.set('upload-metadata', uploader.file.metadata)
  if (method === 'HEAD' && file?.concat) response.headers.set('upload-concat', concatHeader(file.concat, request.urlOf))
  if (response.status < 400) return response
  if (store.failure) throw store.failure
  if (failure instanceof Error && !('status_code' in failure)) throw failure
  throw await refusal(response, limits)
}

async function refusal(response: Response, limits: HostingLimits): Promise<ProviderError> {
  if (response.status === 404 || response.status === 410) return notFound()
  const text = (await response.text()).trim()
  // the tus server names no number
  if (text === 'Maximum size exceeded') return tooLarge(limits)
  return new HostingError(CODES[response.status] ?? 'UPLOAD_INVALID', text.slice(0, 300) || 'The request is not valid.')
}
