import type { Readable } from 'node:stream'
import { type ErrorCode, HostingError, type ProviderError } from '@tidegate/protocol'
import { Server } from '@tus/server'
import { HOSTING_LIMITS } from './limits.js'
import type { PartTools } from './part-writer.js'
import { notFound } from './refusals.js'
import { type HostingLimits, type Uploader, UploadStore } from './upload-store.js'

/** A request of the tus protocol (POST, HEAD, PATCH). */
export interface TusRequest {
  method: string
  path: string
  headers: Headers
  /** It is read no further than it is taken, and never destroyed. */
  body: Readable | undefined
  /** Returns the URL of a new upload. */
  urlOf(id: string): string
}

/** Codes of what the tus server refuses by itself; its other refusals are UPLOAD_INVALID. */
const CODES: Record<number, ErrorCode> = { 409: 'UPLOAD_CONFLICT', 413: 'UPLOAD_TOO_LARGE' }

/**
 * Answers a request by the tus server. There is one for each request: what it works on is that request's. `id`: of the
 * file, or of the one to create. Throws HostingError, ValidationError, StateError, or the error of the backend.
 */
export async function answerTus(
  request: TusRequest,
  tools: PartTools,
  limits: HostingLimits,
  uploader: Uploader,
  id: string,
): Promise<Response> {
  const { method, headers, body } = request
  const store = new UploadStore(tools, limits, uploader, body)
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
  // what it reads of a request; a whole one would refuse some headers. The store reads the body by itself
  const asked = { method, headers, url: `http://localhost${request.path}` }
  const response = await server.handleWeb(asked as unknown as Parameters<Server['handleWeb']>[0])
  // the tus server would decode and encode values, which may be any bytes
  if (method === 'HEAD' && uploader.file?.metadata) response.headers.set('upload-metadata', uploader.file.metadata)
  if (response.status < 400) return response
  if (store.failure) throw store.failure
  if (failure instanceof Error && !('status_code' in failure)) throw failure
  throw await refusal(response)
}

async function refusal(response: Response): Promise<ProviderError> {
  if (response.status === 404 || response.status === 410) return notFound()
  const text = (await response.text()).trim()
  return new HostingError(CODES[response.status] ?? 'UPLOAD_INVALID', text.slice(0, 300) || 'The request is not valid.')
}
