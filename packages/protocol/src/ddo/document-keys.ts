import { sharedPoints } from '../crypto/ecies.js'
import { ECIES } from '../crypto/ecies-content.js'
import type { ProviderKey } from '../crypto/keys.js'
import { isEncrypted, type PublishedDocument } from './published-document.js'

/**
 * Returns what a published document may be decrypted with: the point that it shares with each key of the provider, in
 * their order, and nothing if it is not encrypted. Threads decrypt with that, and never have a key of the provider. The
 * cost is the same for every document, since it follows from the first 65 bytes alone.
 */
export function documentKeys(published: PublishedDocument, keys: readonly ProviderKey[]): Uint8Array[] {
  if (!isEncrypted(published)) return []
  return [...sharedPoints(keys, Buffer.from(published.data.slice(2, 2 + 2 * ECIES.key), 'hex'))]
}
