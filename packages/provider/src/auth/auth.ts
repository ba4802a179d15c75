import type { Address } from 'viem'
import type { Links } from './links.js'
import type { CutOver } from './nonces/cut-over.js'
import type { NonceStore } from './nonces/nonce-table.js'
import type { ProviderIdentity } from './provider-identity.js'
import type { SignatureMatcher } from './signature.js'
import type { Tokens } from './tokens.js'

/** The ways to authenticate a request: signatures with nonces, tokens, and grants of download links. */
export interface Auth {
  identity: ProviderIdentity
  signatures: SignatureMatcher
  nonces: NonceStore
  cutOver: CutOver
  tokens: Tokens
  links: Links
}

/** Returns the last nonce of an address as JSON text: it may have more digits than a JavaScript number. Throws StateError. */
export async function lastNonce(
  { nonces, cutOver }: Pick<Auth, 'nonces' | 'cutOver'>,
  address: Address,
  chainId?: number,
): Promise<string> {
  return cutOver.lastNonce(await nonces.last(address, chainId))
}
