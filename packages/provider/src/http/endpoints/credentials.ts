import type { FastifyRequest } from 'fastify'
import { sentParams } from './params.js'

/** The credentials of a request. A signature takes precedence over a token. */
export type Credentials = { signature: string } | { token: string } | undefined

/** Reads the credentials of a request, unverified. */
export function credentialsOf(request: FastifyRequest, { signature } = sentParams(request)): Credentials {
  // some clients send the text "null" without a signature
  if (signature !== undefined && signature !== 'null') {
    // the parameter parser refuses other types; some JSON values have no text form
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
