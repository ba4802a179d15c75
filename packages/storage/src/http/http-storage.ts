import { Readable } from 'node:stream'
import { withDeadline } from '@tidegate/common'
import type { StorageError } from '@tidegate/protocol'
import type { z } from 'zod'
import { contentCodings } from '../egress/content-codings.js'
import { discard, type Egress, type EgressResponse } from '../egress/egress.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { FileDescription, OpenedFile, OpenRequest, RequestContext, Storage, UserData } from '../storage.js'
import { describeFailure, isStorageFailure, unreachable } from '../storage-failures.js'
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

type Headers = Record<string, string>

/** A file as a download gets it, and the request that delivered it. */
interface Delivery {
  file: OpenedFile
  /** Whether its content coding is the format of the file itself. */
  stored: boolean
  /** Whether its body is that of the response: neither decoded nor a part. */
  asSent: boolean
  request: HttpRequest
}

/** The storage of a kind whose files are responses to HTTP requests. */
export class HttpStorage<T> implements Storage<T> {
  readonly type: string
  readonly schema: Storage<T>['schema']

  constructor(
    private readonly kind: HttpKind<T>,
    private readonly egress: Egress,
  ) {
    this.type = kind.type
    this.schema = kind.schema
  }

  outline(file: T): FileDescription | undefined {
    return this.kind.outline?.(file)
  }

  async open(file: T, context: OpenRequest): Promise<OpenedFile> {
    const { file: opened } = await this.deliver(file, context)
    if (context.method === 'GET') return opened
    // HEAD of a storage says little about its GET: the answer is that of GET, ended after its headers
    discard(opened.body)
    return { ...opened, body: Readable.from([]) }
  }

  async describe(file: T, context: RequestContext): Promise<FileDescription> {
    try {
      const delivery = await this.deliver(file, { ...context, method: 'GET', headers: {} })
      return await describeDelivered(delivery.file, context.signal, () => this.claimedSize(delivery, context))
    } catch (error) {
      return describeFailure(error)
    }
  }

  /** Tries the requests of a file until one succeeds. Throws the last failure if none does. */
  private async deliver(file: T, context: OpenRequest): Promise<Delivery> {
    let failure: StorageError = unreachable()
    for (const request of await this.kind.requests(file, context.userdata)) {
      try {
        return await this.fetch(request, context)
      } catch (error) {
        if (!isStorageFailure(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  private async fetch(request: HttpRequest, context: OpenRequest): Promise<Delivery> {
    const { headers } = context
    let sent = await this.send(request, headers, context)
    if (request.method === 'POST') return this.delivery(request, sent, context)
    const isPart = isCodedPart(sent) && request.headers?.range === undefined
    // a part of coded bytes cannot be decoded: the whole file is a valid response to a range, too
    if (isPart) {
      discard(sent.response.body)
      sent = await this.send(request, withoutRange(headers), context)
    }
    const delivery = await this.delivery(request, sent, context)
    const file = isPart && delivery.stored ? await this.partOfStored(delivery, headers, context) : delivery.file
    const resumed = resuming(file, async (from, to, validator) => {
      // these override a range of the publisher's, which they resume
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
    const response = await this.egress.request({ ...request, headers: requestHeaders, ...sharedContext(context) })
    return { requestHeaders, response: asWhole(requestHeaders, response) }
  }

  /** Checks a response, and decodes its body. Throws StorageError if it is not the file. */
  private async delivery(request: HttpRequest, sent: Sent, { budget }: OpenRequest): Promise<Delivery> {
    const name = nameOf(sent.response, this.kind.namedByUrl)
    const { response, stored, named } = await withStoredCoding(sent.response, name)
    assertDelivered(sent.requestHeaders, response)
    const hasBody = response.status === 200 || response.status === 206
    const decoded = hasBody ? await this.egress.decoded(response, budget) : asDecoded(response)
    const body = hasBody && this.kind.checked ? await this.kind.checked(decoded.body) : decoded.body
    const asSent = response.status === 200 && contentCodings(response.headers).length === 0
    return { file: openedFile({ ...decoded, body }, named), stored, asSent, request }
  }

  /** Delivers a part of a file whose coding belongs to it: only the beginning of the file shows that. */
  private async partOfStored(whole: Delivery, headers: Headers, context: OpenRequest): Promise<OpenedFile> {
    discard(whole.file.body)
    const { requestHeaders, response } = await this.send(whole.request, headers, context)
    const { 'content-type': type } = whole.file.headers
    const { 'content-encoding': _coding, ...others } = response.headers
    const part = { ...response, headers: type ? { ...others, 'content-type': type } : others }
    assertDelivered(requestHeaders, part)
    return openedFile(part, whole.file.name)
  }

  /** Returns the size that a range request tells of a file which GET sends without a length, if it tells one. */
  private async claimedSize({ request, file, asSent }: Delivery, context: RequestContext) {
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

/** Returns a checked response as a file. */
function openedFile({ status, headers, body }: EgressResponse, name: string | undefined): OpenedFile {
  return {
    status: status as OpenedFile['status'],
    headers: passedHeaders(headers),
    body,
    ...(name ? { name } : {}),
  }
}

/** Returns the context that all upstream requests of one client request share. */
function sharedContext({ signal, budget, fetched }: RequestContext): Omit<RequestContext, 'userdata'> {
  return { signal, budget, ...(fetched ? { fetched } : {}) }
}

/** With If-Range of the consumer's, a range of the publisher's could become the whole file. */
function withoutIfRange({ 'if-range': _, ...others }: Headers): Headers {
  return others
}

function withoutRange({ range: _range, 'if-range': _if, ...others }: OpenRequest['headers']): OpenRequest['headers'] {
  return others
}
