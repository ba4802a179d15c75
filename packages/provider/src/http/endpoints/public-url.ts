import { ValidationError } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/schema.js'

/** A host name, an IPv4 or a bracketed IPv6 address, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Hosts under which only this machine reaches the service. */
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])

/**
 * Returns the base URL for signed messages, without trailing slash: PUBLIC_URL. A header cannot replace it, since an
 * attacker chooses the Host of a replayed request. A service on loopback accepts loopback names with its port. Undefined
 * in all other cases.
 */
export function ownUrl(
  { host, socket }: FastifyRequest,
  { PUBLIC_URL, HOST: listening }: Pick<Settings, 'PUBLIC_URL' | 'HOST'>,
): string | undefined {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL
  if (!LOOPBACK.has(listening) || !URL.canParse(`http://${host}`)) return undefined
  const url = new URL(`http://${host}`)
  const isOwn = LOOPBACK.has(url.hostname.replace(/[[\]]/g, '')) && Number(url.port || 80) === socket.localPort
  return isOwn ? url.origin : undefined
}

/**
 * Returns the public base URL, without trailing slash: PUBLIC_URL, or else from the Host of the request. Throws
 * ValidationError if that is no host.
 */
export function publicUrl(request: FastifyRequest, { PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL
  const { host, protocol } = request
  if (typeof host !== 'string' || !HOST.test(host) || !URL.canParse(`http://${host}`))
    throw ValidationError.of('Host', 'The Host header must name the host that the link is to begin with.')
  return `${protocol === 'https' ? 'https' : 'http'}://${host}`
}
