import { type Context, TidegateError } from '@tidegate/client'
import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify'
import { innerSender } from './inner-requests.js'

type Api = Context['api']

/** Creates the requests of the client library to this service itself, for a request. `token` replaces a signature. */
export function inProcessApi(app: FastifyInstance, outer: FastifyRequest, token?: string): Api {
  const send = innerSender(app, outer)
  const authorized: Record<string, string> = token === undefined ? {} : { authtoken: token }
  async function exchange(options: InjectOptions, signal?: AbortSignal): Promise<LightMyRequestResponse> {
    signal?.throwIfAborted()
    const response = await send({ ...options, headers: { ...authorized, ...options.headers } }, signal)
    signal?.throwIfAborted()
    if (response.statusCode >= 400) throw refusalOf(response)
    return response
  }
  return {
    async get(url, query = {}, signal) {
      const given = Object.entries(query).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      )
      return (await exchange({ method: 'GET', url, query: Object.fromEntries(given) }, signal)).json()
    },
    async post(url, body, signal, headers = {}) {
      const json = { ...headers, 'content-type': 'application/json' }
      return (await exchange({ method: 'POST', url, headers: json, payload: JSON.stringify(body) }, signal)).json()
    },
    async send({ path: url, headers = {}, signal }) {
      const { statusCode: status, headers: told, rawPayload } = await exchange({ method: 'GET', url, headers }, signal)
      const given = Object.entries(told).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      )
      return new Response(new Uint8Array(rawPayload), { status, headers: Object.fromEntries(given) })
    },
  }
}

/** Returns a refusal of a route with its code and sentence. */
function refusalOf({ payload, statusCode: status }: LightMyRequestResponse): TidegateError {
  try {
    const { code, error, message, errors } = JSON.parse(payload) as Record<string, unknown>
    if (typeof code === 'string' && typeof error === 'string') return new TidegateError(code, error, { status })
    const reasons = Object.values((errors ?? {}) as Record<string, string[]>).flat()
    return new TidegateError('VALIDATION', reasons.join(' ') || String(message), { status })
  } catch {
    return new TidegateError('FAILED', 'The service refused the request.', { status })
  }
}
