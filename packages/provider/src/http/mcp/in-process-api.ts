import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify'
import { ToolError } from '../../mcp/tool-error.js'
import { innerSender } from './inner-requests.js'

/** Requests to this service itself. All throw ToolError with the code of a refusal. */
export interface InProcessApi {
  /** Returns the JSON of a GET request. Leaves out undefined fields of the query. */
  get<T>(url: string, query: Record<string, string | number | undefined>, signal: AbortSignal): Promise<T>
  /** Returns the JSON of a POST request. */
  post<T>(url: string, body: object, signal: AbortSignal): Promise<T>
  /** Requests the first `bytes` bytes of a file. */
  file(url: string, bytes: number, signal: AbortSignal): Promise<Response>
}

/** Creates the requests to this service itself, for a request of a client. `token` replaces a signature. */
export function inProcessApi(app: FastifyInstance, outer: FastifyRequest, token?: string): InProcessApi {
  const send = innerSender(app, outer)
  const authorized: Record<string, string> = token === undefined ? {} : { authtoken: token }
  async function exchange(options: InjectOptions, signal: AbortSignal): Promise<LightMyRequestResponse> {
    signal.throwIfAborted()
    const response = await send({ ...options, headers: { ...authorized, ...options.headers } }, signal)
    signal.throwIfAborted()
    if (response.statusCode >= 400) throw refusalOf(response)
    return response
  }
  return {
    async get(url, query, signal) {
      return (await exchange({ method: 'GET', url, query: withoutUndefined(query) }, signal)).json()
    },
    async post(url, body, signal) {
      const headers = { 'content-type': 'application/json' }
      return (await exchange({ method: 'POST', url, headers, payload: JSON.stringify(body) }, signal)).json()
    },
    async file(url, bytes, signal) {
      const range = { range: `bytes=0-${bytes - 1}` }
      const { statusCode: status, headers, rawPayload } = await exchange({ method: 'GET', url, headers: range }, signal)
      return new Response(new Uint8Array(rawPayload), { status, headers: withoutUndefined(headers) })
    },
  }
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

/** Returns a refusal of a route with its code and sentence. */
function refusalOf({ payload }: LightMyRequestResponse): ToolError {
  try {
    const { code, error, message, errors } = JSON.parse(payload) as Record<string, unknown>
    if (typeof code === 'string' && typeof error === 'string') return new ToolError(code, error)
    const reasons = Object.values((errors ?? {}) as Record<string, string[]>).flat()
    return new ToolError('VALIDATION', reasons.join(' ') || String(message))
  } catch {
    return new ToolError('FAILED', 'The service refused the request.')
  }
}
