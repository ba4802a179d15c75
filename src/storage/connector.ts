import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { buildConnector } from 'undici'
import { isPublicAddress, literalAddress } from './addresses.js'

/** The destination is not one that files may be fetched from. Raised before any connection is opened. */
export class ForbiddenDestination extends Error {
  readonly code = 'FORBIDDEN_DESTINATION'
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/**
 * Connects only to public addresses. The check is part of connecting: a literal is checked here, and a name through
 * the very look-up whose result is connected to, so nothing can answer differently in between.
 */
export function guardedConnector(options: { allowNonPublic: boolean; timeout: number }): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.timeout,
    ...(options.allowNonPublic ? {} : { lookup: publicLookup }),
  } as buildConnector.BuildOptions)
  return (target, callback) => {
    const literal = literalAddress(target.hostname)
    if (!options.allowNonPublic && literal !== undefined && !isPublicAddress(literal)) {
      callback(new ForbiddenDestination('not a public address'), null)
      return
    }
    connect(target, callback)
  }
}

/** dns.lookup that fails when any of the addresses is not public: a mixed answer is an attempt to slip through. */
function publicLookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new ForbiddenDestination('not a public address'), [])
    if (options.all) return callback(null, addresses)
    const first = addresses[0] as LookupAddress
    callback(null, first.address, first.family)
  })
}
