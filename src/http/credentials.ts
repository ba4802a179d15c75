import type { FastifyRequest } from 'fastify'
import { sentParams } from './params.js'

/** How a request says who it comes from. A signature decides alone, also where a token is sent with it. */
export type Credentials = { signature: string } | { token: string } | undefined

/** Reads what the request was sent with; nothing is checked yet. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const { signature } = sentParams(request)
  // some clients write a missing signature as the text null
  if (signature !== undefined && signature !== 'null') {
    // anything but text is refused when the parameter is read; JSON can hold what has no text at all
    const isText = typeof signature === 'string' || typeof signature === 'number'
    return { signature: isText ? String(signature) : '' }
  }
  const token = sentToken(request)
  return token === undefined ? undefined : { token }
}

/** The header AuthToken, or Authorization with or without the word Bearer. */
function sentToken({ headers }: FastifyRequest): string | undefined {
  const own = headers.authtoken
  if (typeof own === 'string' && own !== '') return own
  const token = /^(?:Bearer\s+)?([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(headers.authorization?.trim() ?? '')
  return token?.[1]
}
