import type { z } from 'zod'
import { StorageError } from '../errors.js'
import { discard, type Egress, type EgressResponse } from './egress.js'
import { answersTo } from './framing.js'
import { lastSegment, suggestedName } from './naming.js'
import { resuming } from './resume.js'
import type { Asking, FileDescription, OpenedFile, Storage, UserData } from './storage.js'

/** How one storage object is fetched over HTTP. */
export interface HttpRequest {
  url: string
  method: 'GET' | 'POST'
  /** Names in lower case. They win over those of the consumer. */
  headers?: Record<string, string>
  body?: string
  /** Names of headers that never go to another origin. */
  secret?: ReadonlySet<string>
}

/** A kind of storage whose files are answers to HTTP requests. */
export interface HttpKind<T> {
  type: string
  schema: z.ZodType<T>
  /** The requests that would do, tried in this order until one hands the file out. Throws ValidationError. */
  requests(file: T, userdata: UserData | undefined, method: 'GET' | 'HEAD'): HttpRequest[] | Promise<HttpRequest[]>
  /** Whether the last part of the URL may serve as file name. */
  named: boolean
  outline?: Storage<T>['outline']
}

const PASSED_HEADERS = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
] as const
const GOOD_STATUS = new Set([200, 206, 304, 416])

/** Makes a storage of a kind. */
export function httpStorage<T>(kind: HttpKind<T>, egress: Egress): Storage<T> {
  const send = async (
    request: HttpRequest,
    method: 'GET' | 'HEAD' | 'POST',
    headers: Record<string, string>,
    asking: Asking,
  ): Promise<Sent> => {
    const own = request.headers?.range === undefined ? headers : withoutIfRange(headers)
    const asked = { ...own, ...request.headers }
    return { asked, response: await egress.request({ ...request, method, headers: asked, ...sharedBy(asking) }) }
  }

  return {
    type: kind.type,
    schema: kind.schema,
    ...(kind.outline ? { outline: kind.outline } : {}),
    async open(file, asking) {
      const { method, headers, userdata } = asking
      const requests = await kind.requests(file, userdata, method)
      return firstThatWorks(requests, async (request) => {
        if (request.method === 'POST') return opened(await send(request, 'POST', headers, asking), kind.named)
        const file = opened(await send(request, method, headers, asking), kind.named)
        return resuming(file, async (from, to, validator) => {
          // these win over a range of the publisher's own, whose part of the file it is that goes on
          const asked = { ...request.headers, range: `bytes=${from}-${to}`, 'if-range': validator }
          const response = await egress.request({ ...request, method, headers: asked, ...sharedBy(asking) })
          return opened({ asked, response }, kind.named)
        })
      })
    },
    async describe(file, asking) {
      const { userdata } = asking
      const heads = await kind.requests(file, userdata, 'HEAD')
      for (const request of heads.filter(({ method }) => method === 'GET')) {
        const head = await describeWith(() => send(request, 'HEAD', {}, asking), kind.named)
        if (head.valid && head.contentLength !== undefined) return head
      }
      // a server that does not do HEAD, or does not tell the length: begin to fetch, and read the headers alone
      for (const request of await kind.requests(file, userdata, 'GET')) {
        const range = request.method === 'GET' ? { range: 'bytes=0-0' } : {}
        const begun = await describeWith(
          () => send(request, request.method, range as Record<string, string>, asking),
          kind.named,
        )
        if (begun.valid) return begun
      }
      return { valid: false }
    },
  }
}

/** What is the same for all requests that are sent for one. */
function sharedBy({ signal, budget, fetched }: Asking): Omit<Asking, 'userdata'> {
  return { signal, budget, ...(fetched ? { fetched } : {}) }
}

/** Under a condition of the consumer's, a range of the publisher's own could become the whole file. */
function withoutIfRange({ 'if-range': _, ...others }: Record<string, string>): Record<string, string> {
  return others
}

/** The answer to the first request that is handed out; of several failures the last one is told. */
async function firstThatWorks<R>(requests: HttpRequest[], send: (request: HttpRequest) => Promise<R>): Promise<R> {
  let failure: unknown
  for (const request of requests) {
    try {
      return await send(request)
    } catch (error) {
      if (!isAnswer(error)) throw error
      failure = error
    }
  }
  throw failure ?? new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
}

/** A request as it was sent, by its headers, and what came of it. */
interface Sent {
  asked: Record<string, string>
  response: EgressResponse
}

function opened({ asked, response }: Sent, named: boolean): OpenedFile {
  const { status, headers: upstream, body, url } = response
  const passed: OpenedFile['headers'] = {}
  for (const name of PASSED_HEADERS) {
    const value = upstream[name]
    if (typeof value === 'string') passed[name] = value
  }
  // a coded body is not the file, although identity was asked for
  if (!GOOD_STATUS.has(status) || isCoded(upstream) || !answersTo(asked, status, passed)) {
    discard(body)
    throw new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.')
  }
  const name = suggestedName(upstream['content-disposition']) ?? (named ? lastSegment(url) : undefined)
  return { status: status as OpenedFile['status'], headers: passed, body, ...(name ? { name } : {}) }
}

async function describeWith(request: () => Promise<Sent>, named: boolean): Promise<FileDescription> {
  let response: EgressResponse
  try {
    response = (await request()).response
  } catch (error) {
    if (isAnswer(error)) return { valid: false }
    throw error
  }
  discard(response.body)
  const { status, headers: upstream, url } = response
  if ((status !== 200 && status !== 206) || isCoded(upstream)) return { valid: false }
  const total = /\/(\d+)$/.exec(String(upstream['content-range'] ?? ''))?.[1]
  const length = status === 206 ? total : upstream['content-length']
  const contentType = mediaType(upstream['content-type'])
  const name = named ? lastSegment(url) : undefined
  return {
    valid: true,
    ...(typeof length === 'string' && /^\d+$/.test(length) ? { contentLength: Number(length) } : {}),
    ...(contentType ? { contentType } : {}),
    ...(name ? { name } : {}),
  }
}

/** Whether a failure says something about the file; that this provider is busy does not. */
export function isAnswer(error: unknown): boolean {
  return error instanceof StorageError && error.code !== 'STORAGE_BUSY'
}

function isCoded(headers: EgressResponse['headers']): boolean {
  const coding = headers['content-encoding']
  return coding !== undefined && String(coding).toLowerCase() !== 'identity' && coding !== ''
}

function mediaType(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.split(';')[0]?.trim() : undefined
}
