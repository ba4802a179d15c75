import { sharedPoints } from '../crypto/ecies.js'
import { ECIES } from '../crypto/ecies-content.js'
import type { ProviderKey } from '../crypto/keys.js'
import { isEncrypted, type PublishedDocument } from './published-document.js'

/**
 * Returns the possible keys of a published document: its shared point with each provider key, in order; none if it is
 * not encrypted. Threads decrypt with these and never have a provider key. The cost is the same for every document,
 * since only the first 65 bytes matter.
 */
export function documentKeys(published: PublishedDocument, keys: readonly ProviderKey[]): Uint8Array[] {
  if (!isEncrypted(published)) return []
  return [...sharedPoints(keys, Buffer.from(published.data.slice(2, 2 + 2 * ECIES.key), 'hex'))]
}
