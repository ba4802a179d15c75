import type { FastifyRequest } from 'fastify'
import { sentParams } from './params.js'

/** How a request authenticates. A signature takes precedence over a token. */
export type Credentials = { signature: string } | { token: string } | undefined

/** Reads the credentials of a request, unverified. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const { signature } = sentParams(request)
  // some clients send a missing signature as the string "null"
  if (signature !== undefined && signature !== 'null') {
    // other types are refused when the parameter is parsed; some JSON values cannot be converted to a string
    const isText = typeof signature === 'string' || typeof signature === 'number'
    return { signature: isText ? String(signature) : '' }
  }
  const token = tokenFromHeaders(request)
  return token === undefined ? undefined : { token }
}

/** Reads the AuthToken header, or Authorization with or without the Bearer scheme. */
function tokenFromHeaders({ headers }: FastifyRequest): string | undefined {
  const own = headers.authtoken
  if (typeof own === 'string' && own !== '') return own
  const token = /^(?:Bearer\s+)?([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(headers.authorization?.trim() ?? '')
  return token?.[1]
}
