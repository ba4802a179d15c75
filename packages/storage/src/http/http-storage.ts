import { Readable } from 'node:stream'
import { withDeadline } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import type { z } from 'zod'
import { contentCodings } from '../egress/content-codings.js'
import { discard, type Egress } from '../egress/egress.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { OpenedFile, OpenRequest, RequestContext, Storage, UserData } from '../storage.js'
import { describeDelivered } from './describe-delivered.js'
import { asWhole, parseContentRange } from './framing.js'
import { nameOf } from './naming.js'
import { asDecoded, assertDelivered, isCodedPart, passedHeaders, type Sent } from './responses.js'
import { resuming } from './resume.js'
import { withStoredCoding } from './stored-coding.js'

/** How one storage object is fetched over HTTP. */
export interface HttpRequest {
  url: string
  method: 'GET' | 'POST'
  /** Names in lower case. They override those of the consumer. */
  headers?: Record<string, string>
  body?: string
  /** Names of headers that are never sent to another origin. */
  secret?: ReadonlySet<string>
}

/** A kind of storage whose files are responses to HTTP requests. */
export interface HttpKind<T> {
  type: string
  schema: z.ZodType<T>
  /** Returns equivalent requests, tried in this order until one delivers the file. Throws ValidationError. */
  requests(file: T, userdata: UserData | undefined): HttpRequest[] | Promise<HttpRequest[]>
  /** Whether the last segment of the URL may serve as file name. */
  namedByUrl: boolean
  outline?: Storage<T>['outline']
  /** Returns a body with all bytes of this one if its beginning is that of a file. Throws StorageError. */
  checked?(body: Readable): Promise<Readable>
}

/** A file as a download gets it, and where it came from. */
interface Delivery {
  file: OpenedFile
  /** Its body is that of the response: neither decoded nor a part. */
  asSent: boolean
  request: HttpRequest
}

/** Creates the storage of a kind. */
export function httpStorage<T>(kind: HttpKind<T>, egress: Egress): Storage<T> {
  const send = async (
    request: HttpRequest,
    headers: Record<string, string>,
    context: RequestContext,
  ): Promise<Sent> => {
    const own = request.headers?.range === undefined ? headers : withoutIfRange(headers)
    const requestHeaders = { ...own, ...request.headers }
    const response = await egress.request({ ...request, headers: requestHeaders, ...sharedContext(context) })
    return { requestHeaders, response: asWhole(requestHeaders, response) }
  }

  const delivered = async (
    request: HttpRequest,
    { requestHeaders, response: sent }: Sent,
    context: OpenRequest,
  ): Promise<Delivery & { stored: boolean }> => {
    const { response, stored, named } = await withStoredCoding(sent, nameOf(sent, kind.namedByUrl))
    assertDelivered(requestHeaders, response)
    const hasBody = response.status === 200 || response.status === 206
    const decoded = hasBody ? await egress.decoded(response, context.budget) : asDecoded(response)
    const { headers } = decoded
    const body = hasBody && kind.checked ? await kind.checked(decoded.body) : decoded.body
    const status = response.status as OpenedFile['status']
    const file: OpenedFile = { status, headers: passedHeaders(headers), body, ...(named ? { name: named } : {}) }
    const asSent = status === 200 && contentCodings(response.headers).length === 0
    return { file, stored, asSent, request }
  }

  /** Delivers a part of a file whose coding belongs to it: only the beginning of the file shows that. */
  const partOfStored = async (whole: Delivery, headers: OpenRequest['headers'], context: OpenRequest) => {
    discard(whole.file.body)
    const { requestHeaders, response } = await send(whole.request, headers, context)
    const { 'content-type': type } = whole.file.headers
    const { 'content-encoding': _coding, ...others } = response.headers
    const part = { ...response, headers: type ? { ...others, 'content-type': type } : others }
    assertDelivered(requestHeaders, part)
    const { name } = whole.file
    const status = part.status as OpenedFile['status']
    return { status, headers: passedHeaders(part.headers), body: part.body, ...(name ? { name } : {}) }
  }

  const fetchOne = async (request: HttpRequest, context: OpenRequest): Promise<Delivery> => {
    const { headers } = context
    let sent = await send(request, headers, context)
    if (request.method === 'POST') return delivered(request, sent, context)
    const isPart = isCodedPart(sent) && request.headers?.range === undefined
    // a part of coded bytes cannot be decoded: the whole file is a valid response to a range, too
    if (isPart) {
      discard(sent.response.body)
      sent = await send(request, withoutRange(headers), context)
    }
    const delivery = await delivered(request, sent, context)
    const file = isPart && delivery.stored ? await partOfStored(delivery, headers, context) : delivery.file
    const resumed = resuming(file, async (from, to, validator) => {
      // these override a range of the publisher's, which they resume
      const rest = { ...request.headers, range: `bytes=${from}-${to}`, 'if-range': validator }
      const resend: HttpRequest = { ...request, headers: rest }
      if (delivery.stored) return partOfStored({ ...delivery, request: resend }, {}, context)
      return (await delivered(resend, await send(resend, {}, context), context)).file
    })
    return { ...delivery, file: resumed }
  }

  const deliver = async (file: T, context: OpenRequest): Promise<Delivery> =>
    firstSuccess(await kind.requests(file, context.userdata), (request) => fetchOne(request, context))

  /** Returns the size that a range request tells of a file which GET sends without a length, if it tells one. */
  const claimedSize = async ({ request, file, asSent }: Delivery, context: RequestContext) => {
    if (!asSent || request.method === 'POST' || request.headers?.range !== undefined) return undefined
    const limits = { milliseconds: STORAGE_LIMITS.describing.claim, parent: context.signal }
    return withDeadline(limits, async (signal) => {
      const { response } = await send(request, { range: 'bytes=0-0' }, { ...context, signal })
      discard(response.body)
      const { etag, 'last-modified': modified, 'content-range': range } = passedHeaders(response.headers)
      const isSame = etag === file.headers.etag && modified === file.headers['last-modified']
      const isPlain = response.status === 206 && contentCodings(response.headers).length === 0
      return isSame && isPlain ? parseContentRange(range)?.total : undefined
    }).catch(() => undefined)
  }

  return {
    type: kind.type,
    schema: kind.schema,
    ...(kind.outline ? { outline: kind.outline } : {}),
    async open(file, context) {
      const { file: opened } = await deliver(file, context)
      if (context.method === 'GET') return opened
      // HEAD of a storage says little about its GET: the answer is that of GET, ended after its headers
      discard(opened.body)
      return { ...opened, body: Readable.from([]) }
    },
    async describe(file, context) {
      try {
        const delivery = await deliver(file, { ...context, method: 'GET', headers: {} })
        return await describeDelivered(delivery.file, context.signal, () => claimedSize(delivery, context))
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        const { reason, upstreamStatus } = error
        return { valid: false, reason, ...(upstreamStatus === undefined ? {} : { upstreamStatus }) }
      }
    },
  }
}

/** Returns the context that all upstream requests of one client request share. */
function sharedContext({ signal, budget, fetched }: RequestContext): Omit<RequestContext, 'userdata'> {
  return { signal, budget, ...(fetched ? { fetched } : {}) }
}

/** With If-Range of the consumer's, a range of the publisher's could become the whole file. */
function withoutIfRange({ 'if-range': _, ...others }: Record<string, string>): Record<string, string> {
  return others
}

function withoutRange({ range: _range, 'if-range': _if, ...others }: OpenRequest['headers']): OpenRequest['headers'] {
  return others
}

/** Returns the result of the first request that succeeds. Throws the last failure where none does. */
async function firstSuccess<R>(requests: HttpRequest[], send: (request: HttpRequest) => Promise<R>): Promise<R> {
  let failure: unknown
  for (const request of requests) {
    try {
      return await send(request)
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      failure = error
    }
  }
  throw failure ?? new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.', 'unreachable')
}

/** Whether a failure is the storage's. That this provider is busy says nothing about the file. */
export function isStorageFailure(error: unknown): error is StorageError {
  return error instanceof StorageError && error.code !== 'STORAGE_BUSY'
}
