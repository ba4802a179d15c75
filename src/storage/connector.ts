import type { LookupAddress, LookupOptions } from 'node:dns'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { literalAddress } from './addresses.js'
import type { Destinations } from './destinations.js'
import { mended } from './upstream-socket.js'

/** The destination is not one that files may be fetched from. Raised before any connection is opened. */
export class ForbiddenDestination extends Error {
  readonly code = 'FORBIDDEN_DESTINATION'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** The form of dns.lookup; the signal is for those who can end a look-up. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { signal?: AbortSignal },
  callback: LookupCallback,
) => void

/** Where one may connect to, and how names become addresses. */
export interface Way {
  destinations: Destinations
  lookup: Lookup
}

/** Whose request the HTTP library is being given; it connects for that one within the call. */
let sender: AbortSignal | undefined

/**
 * Gives the HTTP library a request. The connection that it opens for it ends with the signal, and so does the look-up of
 * its name: the library itself would go on for nobody, and keep the place of the request until it has a connection.
 */
export function sendFor(signal: AbortSignal, send: () => void): void {
  sender = signal
  try {
    send()
  } finally {
    sender = undefined
  }
}

/**
 * Connects only to addresses that are allowed. The check is part of connecting: a literal is checked here, and a name
 * through the very look-up whose result is connected to, so nothing can answer differently in between. `timeout` in
 * milliseconds.
 */
export function guardedConnector({ timeout, ...way }: Way & { timeout: number }): buildConnector.connector {
  // certificates are checked whatever the environment says
  const tls = { rejectUnauthorized: true }
  const checked = checkedLookup(way)
  const lookup: Lookup = (hostname, options, callback) =>
    checked(hostname, sender ? { ...options, signal: sender } : options, callback)
  const connect = buildConnector({ timeout, lookup, ...tls } as buildConnector.BuildOptions)
  return (target, callback) => {
    const literal = literalAddress(target.hostname)
    if (literal !== undefined && !way.destinations.allows(literal)) {
      callback(new ForbiddenDestination('not an allowed address'), null)
      return
    }
    const signal = sender
    const leave = () => begun.destroy(signal?.reason)
    const begun = connect(target, (error, socket) => {
      signal?.removeEventListener('abort', leave)
      if (error) callback(error, null)
      else callback(null, mended(socket))
    }) as unknown as Socket
    signal?.addEventListener('abort', leave, { once: true })
  }
}

/** A look-up that fails when any of the addresses is not allowed: a mixed answer is an attempt to slip through. */
function checkedLookup({ destinations, lookup }: Way): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      if (error) return callback(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => destinations.allows(address)))
        return callback(new ForbiddenDestination('not an allowed address'), [])
      if (options.all) return callback(null, addresses)
      const first = addresses[0] as LookupAddress
      callback(null, first.address, first.family)
    })
}

/**
 * The address to connect to for a host, for protocols that open their own sockets: a literal as it is, a name by one
 * look-up. Rejects where it is not allowed, or with the signal's reason; whoever connects must use the address, not the
 * name.
 */
export function pinnedAddress(hostname: string, way: Way, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const literal = literalAddress(hostname)
    if (literal !== undefined) {
      if (way.destinations.allows(literal)) resolve(literal)
      else reject(new ForbiddenDestination('not an allowed address'))
      return
    }
    const leave = () => reject(signal?.reason)
    signal?.addEventListener('abort', leave, { once: true })
    checkedLookup(way)(hostname, { all: false, signal }, (error, address) => {
      signal?.removeEventListener('abort', leave)
      if (error) reject(error)
      else resolve(address as string)
    })
  })
}
