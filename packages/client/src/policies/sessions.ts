import { type Address, isAddressEqual } from 'viem'
import { addressOf } from '../auth/signing.js'
import type { Context } from '../context.js'
import { holderOf } from '../download/proof.js'

/**
 * Remembers the session in which credentials were presented for a service. Quotes, downloads and links of this client send it
 * from then on. Use it for a session that was kept from an earlier run.
 */
export function useSession({ session }: Context, did: string, service: string, id: string): void {
  session.presented ??= new Map()
  session.presented.set(keyOf(did, service), id)
}

/** Forgets the session of a service, after a refusal `POLICY_DENIED`. Returns whether there was one. */
export function forgetSession({ session }: Context, did: string, service: string): boolean {
  return session.presented?.delete(keyOf(did, service)) ?? false
}

/** Returns the parameter of a request about a service, with the session for it; empty without one. */
export function policyOf({ session }: Context, did: string, service: string): { policyServer?: string } {
  const id = session.presented?.get(keyOf(did, service))
  return id === undefined ? {} : { policyServer: JSON.stringify({ sessionId: id }) }
}

/** Like `policyOf`, for a request about any consumer: a session belongs to the one that presented, and opens nothing to others. */
export async function policyFor(
  context: Context,
  { did, service, consumer }: { did: string; service: string; consumer: Address },
): Promise<{ policyServer?: string }> {
  const { policyServer } = policyOf(context, did, service)
  if (policyServer === undefined) return {}
  const { token, wallet } = context
  const own = token === undefined ? wallet && (await addressOf(context)) : holderOf(token)
  return own && isAddressEqual(own, consumer) ? { policyServer } : {}
}

const keyOf = (did: string, service: string) => `${did} ${service}`
