import type { z } from 'zod'
import { StorageError } from '../../errors.js'
import { discard, type Egress, type EgressRequest, type EgressResponse } from '../egress/egress.js'
import type { FileDescription, OpenedFile, OpenRequest, RequestContext, Storage, UserData } from '../storage.js'
import { lastSegment, suggestedName } from './naming.js'
import { asDecoded, assertDelivered, descriptionOf, isCodedPart, passedHeaders, type Sent } from './responses.js'
import { resuming } from './resume.js'

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
  requests(file: T, userdata: UserData | undefined, method: 'GET' | 'HEAD'): HttpRequest[] | Promise<HttpRequest[]>
  /** Whether the last segment of the URL may serve as file name. */
  namedByUrl: boolean
  outline?: Storage<T>['outline']
}

/** Creates the storage of a kind. */
export function httpStorage<T>(kind: HttpKind<T>, egress: Egress): Storage<T> {
  const send = async (
    request: HttpRequest,
    method: 'GET' | 'HEAD' | 'POST',
    headers: Record<string, string>,
    context: RequestContext,
  ): Promise<Sent> => {
    const own = request.headers?.range === undefined ? headers : withoutIfRange(headers)
    const requestHeaders = { ...own, ...request.headers }
    const { url, body, secret } = request
    const { signal, budget, fetched } = context
    const sent: EgressRequest = { url, method, headers: requestHeaders, body, secret, signal, budget, fetched }
    return { requestHeaders, response: await egress.request(sent) }
  }

  const opened = async ({ requestHeaders, response }: Sent, { method, budget }: OpenRequest): Promise<OpenedFile> => {
    assertDelivered(requestHeaders, response)
    const { status } = response
    const hasBody = method === 'GET' && (status === 200 || status === 206)
    const { headers, body, url } = hasBody ? await egress.decoded(response, budget) : asDecoded(response)
    const name = suggestedName(headers['content-disposition']) ?? (kind.namedByUrl ? lastSegment(url) : undefined)
    return { status: status as OpenedFile['status'], headers: passedHeaders(headers), body, ...(name ? { name } : {}) }
  }

  return {
    type: kind.type,
    schema: kind.schema,
    ...(kind.outline ? { outline: kind.outline } : {}),
    async open(file, context) {
      const { method, headers, userdata } = context
      const requests = await kind.requests(file, userdata, method)
      return firstSuccess(requests, async (request) => {
        if (request.method === 'POST') return opened(await send(request, 'POST', headers, context), context)
        let sent = await send(request, method, headers, context)
        // a part of coded bytes cannot be decoded: the whole file is a valid response to a range, too
        if (isCodedPart(sent) && request.headers?.range === undefined) {
          discard(sent.response.body)
          sent = await send(request, method, withoutRange(headers), context)
        }
        return resuming(await opened(sent, context), async (from, to, validator) => {
          // these override a range of the publisher's, which they resume
          const requestHeaders = { ...request.headers, range: `bytes=${from}-${to}`, 'if-range': validator }
          const response = await egress.request({
            ...request,
            method,
            headers: requestHeaders,
            ...sharedContext(context),
          })
          return opened({ requestHeaders, response }, context)
        })
      })
    },
    async describe(file, context) {
      const { userdata } = context
      const heads = await kind.requests(file, userdata, 'HEAD')
      for (const request of heads.filter(({ method }) => method === 'GET')) {
        const head = await describeWith(() => send(request, 'HEAD', {}, context), kind.namedByUrl)
        if (head.valid && head.contentLength !== undefined) return head
      }
      let failed: FileDescription = { valid: false, reason: 'unreachable' }
      // the server does not support HEAD, or reports no length: start a GET and read only its headers
      for (const request of await kind.requests(file, userdata, 'GET')) {
        const range = request.method === 'GET' ? { range: 'bytes=0-0' } : {}
        const started = await describeWith(
          () => send(request, request.method, range as Record<string, string>, context),
          kind.namedByUrl,
        )
        if (started.valid) return started
        failed = started
      }
      return failed
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

async function describeWith(request: () => Promise<Sent>, named: boolean): Promise<FileDescription> {
  let response: EgressResponse
  try {
    response = (await request()).response
  } catch (error) {
    if (isStorageFailure(error)) return { valid: false, reason: error.reason }
    throw error
  }
  return descriptionOf(response, named)
}

/** Whether a failure is the storage's. That this provider is busy says nothing about the file. */
export function isStorageFailure(error: unknown): error is StorageError {
  return error instanceof StorageError && error.code !== 'STORAGE_BUSY'
}
