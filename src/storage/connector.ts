import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { buildConnector } from 'undici'
import { isPublicAddress, literalAddress } from './addresses.js'

/** The destination is not one that files may be fetched from. Raised before any connection is opened. */
export class ForbiddenDestination extends Error {
  readonly code = 'FORBIDDEN_DESTINATION'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** The form of dns.lookup. */
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void

/**
 * Connects only to public addresses. The check is part of connecting: a literal is checked here, and a name through
 * the very look-up whose result is connected to, so nothing can answer differently in between.
 */
export function guardedConnector(options: {
  allowNonPublic: boolean
  /** Milliseconds. */
  timeout: number
  /** In place of the system's resolver. */
  lookup?: Lookup
}): buildConnector.connector {
  const { allowNonPublic, timeout, lookup = systemLookup as Lookup } = options
  const connect = buildConnector({
    timeout,
    lookup: allowNonPublic ? lookup : publicLookup(lookup),
  } as buildConnector.BuildOptions)
  return (target, callback) => {
    const literal = literalAddress(target.hostname)
    if (!allowNonPublic && literal !== undefined && !isPublicAddress(literal)) {
      callback(new ForbiddenDestination('not a public address'), null)
      return
    }
    connect(target, callback)
  }
}

/** A look-up that fails when any of the addresses is not public: a mixed answer is an attempt to slip through. */
function publicLookup(lookup: Lookup): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[]
      if (error) return callback(error, [])
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(new ForbiddenDestination('not a public address'), [])
      if (options.all) return callback(null, addresses)
      const first = addresses[0] as LookupAddress
      callback(null, first.address, first.family)
    })
}

/**
 * The address to connect to for a host, for protocols that open their own sockets: a literal as it is, a name by one
 * look-up. Rejects where it is not public; whoever connects must use the address, not the name.
 */
export function pinnedAddress(
  hostname: string,
  { allowNonPublic, lookup = systemLookup as Lookup }: { allowNonPublic: boolean; lookup?: Lookup },
): Promise<string> {
  const literal = literalAddress(hostname)
  if (literal !== undefined)
    return allowNonPublic || isPublicAddress(literal)
      ? Promise.resolve(literal)
      : Promise.reject(new ForbiddenDestination('not a public address'))
  return new Promise((resolve, reject) => {
    const find = allowNonPublic ? lookup : publicLookup(lookup)
    find(hostname, { all: false }, (error, address) => (error ? reject(error) : resolve(address as string)))
  })
}
