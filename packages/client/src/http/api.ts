import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Answer } from './answer.js'
import { boundedText } from './body.js'
import { deadline, tooSlow } from './deadline.js'
import { refusalOf } from './refusals.js'

/** Parameters of a query; undefined ones are left out. */
export type Query = Record<string, string | number | undefined>

/** Sends one request without following redirects: `fetch`, or a faster function of the platform. */
export type Send = (url: string, init: RequestInit) => Promise<Answer>

/** A request whose caller reads the response. */
export interface Sent {
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** A path of the provider, or a whole URL, which gets no token. */
  path: string
  query?: Query
  headers?: Record<string, string>
  body?: ArrayBuffer
  /** Milliseconds until the headers of the response; see LIMITS.headers. */
  timeout?: number
  /** Aborts the request and its body. */
  signal: AbortSignal
  /** Further statuses that are no refusal. */
  accepts?: readonly number[]
  /** Replaces `fetch`. */
  by?: Send | undefined
}

/** Requests to a provider. */
export interface Api {
  /**
   * Sends a GET request and returns the JSON. Throws TidegateError with the provider's code and sentence, or `UNREACHABLE`,
   * `TIMEOUT`, `BAD_ANSWER`, `REDIRECTED`; the signal's own reason if it is aborted.
   */
  get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>
  /**
   * Sends a POST request with a JSON body, or with text or bytes as octets. Returns the JSON, or the text of a text
   * response. Throws like `get`.
   */
  post<T>(path: string, body: unknown, signal?: AbortSignal, headers?: Record<string, string>): Promise<T>
  /** Sends a request and resolves with the headers, also with a status of 304 or 416. Throws like `get`. */
  send(request: Sent): Promise<Answer>
}

/** Creates the requests to a provider, with an auth token if one is given. */
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
    async send({
      method = 'GET',
      path,
      query = {},
      headers = {},
      body,
      timeout = LIMITS.headers,
      signal,
      accepts = [],
      by,
    }) {
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
        if (response.ok || [304, 416, ...accepts].includes(response.status)) return response
        throw await refusalOf(response)
      } catch (error) {
        throw limit.signal.aborted ? limit.signal.reason : asOwn(error)
      } finally {
        // the caller's signal still aborts the body
        limit.lift()
      }
    },
  }
}

/** Follows no redirect: a token would follow it anywhere. */
async function exchange(url: string, init: RequestInit, send: Send = fetch): Promise<Answer> {
  const response = await send(url, { ...init, redirect: 'manual', credentials: 'omit', cache: 'no-store' })
  const { status, type } = response
  if (type !== 'opaqueredirect' && (status < 300 || status >= 400 || status === 304)) return response
  response.body?.cancel().catch(() => undefined)
  const message = 'The provider redirects to another URL. Use that URL.'
  throw new TidegateError('REDIRECTED', message, status ? { status } : {})
}

/** Returns the query of a URL, without undefined values. */
export function searchOf(query: Query): string {
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

/** Hides the platform's own errors: they may name the URL, which holds a signature. */
export function asOwn(error: unknown): unknown {
  if (error instanceof TidegateError) return error
  const code = ((error as Error).cause as { code?: unknown } | undefined)?.code
  const why = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ''
  return new TidegateError('UNREACHABLE', `The provider cannot be reached, or its response broke off${why}.`)
}
