import type { Context } from '../context.js'

/**
 * Remembers the session in which credentials were presented for a service. Quotes, downloads and links of this client send it
 * from then on. Use it for a session that was kept from an earlier run.
 */
export function useSession({ session }: Context, did: string, service: string, id: string): void {
  session.presented ??= new Map()
  session.presented.set(keyOf(did, service), id)
}

/** Returns the parameter of a request about a service, with the session for it; empty without one. */
export function policyOf({ session }: Context, did: string, service: string): { policyServer?: string } {
  const id = session.presented?.get(keyOf(did, service))
  return id === undefined ? {} : { policyServer: JSON.stringify({ sessionId: id }) }
}

const keyOf = (did: string, service: string) => `${did} ${service}`
