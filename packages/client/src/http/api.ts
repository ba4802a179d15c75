import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { boundedText } from './body.js'
import { deadline, tooSlow } from './deadline.js'
import { refusalOf } from './refusals.js'

/** Values of a query; those that are undefined are left out. */
export type Query = Record<string, string | number | undefined>

/** An answer as far as this library reads it: a Response, or what another way of sending makes. */
export interface Answer extends Pick<Response, 'status' | 'ok' | 'headers'> {
  readonly type?: string
  readonly body: {
    getReader(): AnswerReader
    cancel(): Promise<void>
  } | null
}

/** Reads a body piece by piece. `read` rejects if the body ends before it is complete. */
export interface AnswerReader {
  read(): Promise<{ done: boolean; value?: Uint8Array<ArrayBuffer> | undefined }>
  cancel(): Promise<void>
}

/** Sends one request: `fetch`, or a faster way of the platform. It follows no redirect and stores nothing. */
export type Send = (url: string, init: RequestInit) => Promise<Answer>

/** A request whose response the caller reads itself. */
export interface Sent {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** A path of the provider, or a whole URL, which gets no token. */
  path: string
  query?: Query
  headers?: Record<string, string>
  body?: ArrayBuffer
  /** Milliseconds until the headers of the answer are there; see LIMITS.headers. */
  timeout?: number
  /** Ends the request and its body. */
  signal: AbortSignal
  /** In place of `fetch`. */
  by?: Send | undefined
}

/** Requests to a provider. */
export interface Api {
  /**
   * GET with a query; answers the JSON. Throws TidegateError with the provider's code and sentence, or `UNREACHABLE`,
   * `TIMEOUT`, `BAD_ANSWER`, `REDIRECTED`; the signal's own reason if it is aborted.
   */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>
  /** POST of a JSON body, or of text or bytes as octets; answers the JSON, or the text of a text answer. Throws as `get`. */
  post<T>(path: string, body: unknown, signal?: AbortSignal, headers?: Record<string, string>): Promise<T>
  /** Sends a request and answers when the headers are there, also where they say 304 or 416. Throws as `get`. */
  send(request: Sent): Promise<Answer>
}

/** Makes requests to the provider at a URL, with an auth token if one is given. */
export function createApi(url: string, token?: string, timeout: number = LIMITS.deadline): Api {
  const authorized: Record<string, string> = token === undefined ? {} : { AuthToken: token }

  async function answered<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    const limit = deadline(signal, timeout, tooSlow(timeout))
    const { headers } = init
    const full = { ...init, headers: { ...authorized, ...(headers as object) }, signal: limit.signal }
    try {
      const response = await exchange(url + path, full)
      if (!response.ok) throw await refusalOf(response)
      const text = await boundedText(response, LIMITS.answer)
      if (/^text\/plain\b/i.test(response.headers.get('content-type') ?? '')) return text as T
      return parsed(text, response.status) as T
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : asOwn(error)
    } finally {
      limit.end()
    }
  }

  return {
    get: (path, query = {}, signal) => answered(path + searchOf(query), { method: 'GET' }, signal),
    post(path, body, signal, more) {
      const octets = typeof body === 'string' || body instanceof Uint8Array
      const headers = { ...more, 'content-type': octets ? 'application/octet-stream' : 'application/json' }
      const sent = octets ? (body as BodyInit) : JSON.stringify(body)
      return answered(path, { method: 'POST', headers, body: sent }, signal)
    },
    async send({ method = 'GET', path, query = {}, headers = {}, body, timeout = LIMITS.headers, signal, by }) {
      const limit = deadline(signal, timeout, tooSlow(timeout))
      try {
        const own = path.startsWith('/')
        const init = {
          method,
          headers: own ? { ...authorized, ...headers } : headers,
          ...(body ? { body } : {}),
          signal: limit.signal,
        }
        const response = await exchange((own ? url : '') + path + searchOf(query), init, by)
        if (response.ok || response.status === 304 || response.status === 416) return response
        throw await refusalOf(response)
      } catch (error) {
        throw limit.signal.aborted ? limit.signal.reason : asOwn(error)
      } finally {
        // the caller's signal still ends the body
        limit.lift()
      }
    },
  }
}

/** A token would follow a redirect to wherever it leads: none is followed. */
async function exchange(url: string, init: RequestInit, send: Send = fetch): Promise<Answer> {
  const response = await send(url, { ...init, redirect: 'manual', credentials: 'omit', cache: 'no-store' })
  const { status, type } = response
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400 || status === 304)) return response
  response.body?.cancel().catch(() => undefined)
  const message = 'The provider redirects to another URL. Use that URL.'
  throw new TidegateError('REDIRECTED', message, status ? { status } : {})
}

function searchOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TidegateError('BAD_ANSWER', "The provider's response is not JSON. Check the URL of the provider.", {
      status,
    })
  }
}

/** The platform's own errors may name the URL, which holds a signature: they are not passed on. */
function asOwn(error: unknown): unknown {
  if (error instanceof TidegateError) return error
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  const why = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ''
  return new TidegateError('UNREACHABLE', `The provider cannot be reached, or broke off its answer${why}.`)
}
