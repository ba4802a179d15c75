import { Readable } from 'node:stream'
import { withDeadline } from '@tidegate/common'
import type { StorageError } from '@tidegate/protocol'
import type { z } from 'zod'
import { discard, type Egress, type EgressResponse } from '../egress/egress.js'
import { contentCodings } from '../egress/responses/content-codings.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { FileDescription, OpenedFile, OpenRequest, RequestContext, Storage, UserData } from '../storage.js'
import { describeFailure, isStorageFailure, unreachable } from '../storage-failures.js'
import { describeDelivered } from './describe-delivered.js'
import { asWhole, parseContentRange } from './framing.js'
import { nameOf } from './naming.js'
import { asDecoded, assertDelivered, isCodedPart, passedHeaders, type Sent } from './responses.js'
import { resuming } from './resume.js'
import { withStoredCoding } from './stored-coding.js'

/** An HTTP request for a storage object. */
export interface HttpRequest {
  url: string
  method: 'GET' | 'POST'
  /** Override the consumer's headers. Names in lower case. */
  headers?: Record<string, string>
  body?: string
  /** Names of headers that are never sent to another origin. */
  secret?: ReadonlySet<string>
}

/** A kind of storage whose files are responses to HTTP requests. */
export interface HttpKind<T> {
  type: string
  schema: z.ZodType<T>
  /** Returns equivalent requests, to try in order until one succeeds. Throws ValidationError. */
  requests(file: T, userdata: UserData | undefined): HttpRequest[] | Promise<HttpRequest[]>
  /** Whether the last segment of the URL may be the file name. */
  namedByUrl: boolean
  outline?: (file: T) => FileDescription | undefined
  /** Checks the beginning of a body. Returns a body with all bytes. Throws StorageError. */
  checked?(body: Readable): Promise<Readable>
}

type Headers = Record<string, string>

/** A downloaded file, and its request. */
interface Delivery {
  file: OpenedFile
  /** Whether its content coding is the format of the file itself. */
  stored: boolean
  /** Whether its body is that of the response: neither decoded nor a part. */
  asSent: boolean
  request: HttpRequest
}

/** Creates the storage for a kind whose files are responses to HTTP requests. */
export function httpStorage<T>(kind: HttpKind<T>, egress: Egress): Storage<T> {
  const downloads = new Downloads(kind, egress)
  return {
    ...kind,
    async open(file, context) {
      const { file: opened } = await downloads.start(await kind.requests(file, context.userdata), context)
      if (context.method === 'GET') return opened
      // also for HEAD a GET, ended after its headers: the HEAD response of many storages differs
      discard(opened.body)
      return { ...opened, body: Readable.from([]) }
    },
    async describe(file, context) {
      try {
        const requests = await kind.requests(file, context.userdata)
        const delivery = await downloads.start(requests, { ...context, method: 'GET', headers: {} })
        return await describeDelivered(delivery.file, context.signal, () => downloads.claimedSize(delivery, context))
      } catch (error) {
        return describeFailure(error)
      }
    },
  }
}

class Downloads {
  constructor(
    private readonly kind: Pick<HttpKind<unknown>, 'namedByUrl' | 'checked'>,
    private readonly egress: Egress,
  ) {}

  /** Tries requests until one succeeds. Throws the last failure if none does. */
  async start(requests: HttpRequest[], context: OpenRequest): Promise<Delivery> {
    // constructed on failure only: an error captures a stack trace
    let failure: StorageError | undefined
    for (const request of requests) {
      try {
        return await this.fetch(request, context)
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        failure = error
      }
    }
    throw failure ?? unreachable()
  }

  private async fetch(request: HttpRequest, context: OpenRequest): Promise<Delivery> {
    const { headers } = context
    let sent = await this.send(request, headers, context)
    if (request.method === 'POST') return this.delivery(request, sent, context)
    const isPart = isCodedPart(sent) && request.headers?.range === undefined
    // a part of coded bytes cannot be decoded, so the whole file is the response
    if (isPart) {
      discard(sent.response.body)
      sent = await this.send(request, withoutRange(headers), context)
    }
    const delivery = await this.delivery(request, sent, context)
    const file = isPart && delivery.stored ? await this.partOfStored(delivery, headers, context) : delivery.file
    const resumed = resuming(file, async (from, to, validator) => {
      // these headers replace a range of the publisher
      const rest = { ...request.headers, range: `bytes=${from}-${to}`, 'if-range': validator }
      const resend: HttpRequest = { ...request, headers: rest }
      if (delivery.stored) return this.partOfStored({ ...delivery, request: resend }, {}, context)
      return (await this.delivery(resend, await this.send(resend, {}, context), context)).file
    })
    return { ...delivery, file: resumed }
  }

  private async send(request: HttpRequest, headers: Headers, context: RequestContext): Promise<Sent> {
    const own = request.headers?.range === undefined ? headers : withoutIfRange(headers)
    const requestHeaders = { ...own, ...request.headers }
    const { url, method, body, secret } = request
    const { signal, budget, fetched, pace } = context
    // field by field, as in egress.ts
    const sent = { url, method, headers: requestHeaders, body, secret, signal, budget, fetched, pace }
    return { requestHeaders, response: asWhole(requestHeaders, await this.egress.request(sent)) }
  }

  /** Checks a response and decodes its body. Throws StorageError if it is not the file. */
  private async delivery(request: HttpRequest, sent: Sent, { budget }: OpenRequest): Promise<Delivery> {
    const name = nameOf(sent.response, this.kind.namedByUrl)
    const { response, stored, named } = await withStoredCoding(sent.response, name)
    assertDelivered(sent.requestHeaders, response)
    const hasBody = response.status === 200 || response.status === 206
    const decoded = hasBody ? await this.egress.decoded(response, budget) : asDecoded(response)
    const body = hasBody && this.kind.checked ? await this.kind.checked(decoded.body) : decoded.body
    const asSent = response.status === 200 && contentCodings(response.headers).length === 0
    return { file: openedFile(decoded, body, named), stored, asSent, request }
  }

  /** Requests a part of a file with a stored coding, which only the beginning of the file shows. */
  private async partOfStored(whole: Delivery, headers: Headers, context: OpenRequest): Promise<OpenedFile> {
    discard(whole.file.body)
    const { requestHeaders, response } = await this.send(whole.request, headers, context)
    const { 'content-type': type } = whole.file.headers
    const { 'content-encoding': _coding, ...others } = response.headers
    const part = { ...response, headers: type ? { ...others, 'content-type': type } : others }
    assertDelivered(requestHeaders, part)
    return openedFile(part, part.body, whole.file.name)
  }

  /** Requests the size of a file without a length, by a range request; undefined if unknown. */
  async claimedSize({ request, file, asSent }: Delivery, context: RequestContext) {
    if (!asSent || request.method === 'POST' || request.headers?.range !== undefined) return undefined
    const limits = { milliseconds: STORAGE_LIMITS.describing.claim, parent: context.signal }
    return withDeadline(limits, async (signal) => {
      const { response } = await this.send(request, { range: 'bytes=0-0' }, { ...context, signal })
      discard(response.body)
      const { etag, 'last-modified': modified, 'content-range': range } = passedHeaders(response.headers)
      const isSame = etag === file.headers.etag && modified === file.headers['last-modified']
      const isPlain = response.status === 206 && contentCodings(response.headers).length === 0
      return isSame && isPlain ? parseContentRange(range)?.total : undefined
    }).catch(() => undefined)
  }
}

function openedFile({ status, headers }: EgressResponse, body: Readable, name: string | undefined): OpenedFile {
  const opened: OpenedFile = { status: status as OpenedFile['status'], headers: passedHeaders(headers), body }
  if (name) opened.name = name
  return opened
}

/** Removes the consumer's If-Range, which could turn a range of the publisher into the whole file. */
function withoutIfRange({ 'if-range': _, ...others }: Headers): Headers {
  return others
}

function withoutRange({ range: _range, 'if-range': _if, ...others }: OpenRequest['headers']): OpenRequest['headers'] {
  return others
}
