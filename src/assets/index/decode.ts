import { createHash } from 'node:crypto'
import { type Hex, hexToBytes } from 'viem'
import { decrypt } from '../../crypto/ecies.js'
import type { ProviderKey } from '../../crypto/keys.js'
import { didsOf, readDdo } from '../ddo.js'
import { decompress } from './lzma.js'

/** Bits of the `flags` that a metadata event carries. */
export const FLAG_COMPRESSED = 1
export const FLAG_ENCRYPTED = 2

export interface PublishedDocument {
  flags: Hex
  data: Hex
  /** SHA-256 of the plain document. */
  hash: Hex
}

/** The text of the document and its DID, or the reason why this provider cannot use it. */
export type Decoded = { ddo: string; did: string } | { reason: string }

/**
 * Decrypts, decompresses and checks the document of a metadata event: the SHA-256 must match, and it must be the DDO
 * of the NFT that emitted it.
 */
export async function decodeDocument(
  published: PublishedDocument,
  owner: { nft: `0x${string}`; chainId: number; keys: readonly ProviderKey[]; maxSize: number },
): Promise<Decoded> {
  const flags = published.flags === '0x' ? 0 : Number(BigInt(published.flags))
  if ((flags & ~(FLAG_COMPRESSED | FLAG_ENCRYPTED)) !== 0) return { reason: 'unknown flags' }
  let bytes: Uint8Array = hexToBytes(published.data)
  try {
    if (flags & FLAG_ENCRYPTED) bytes = decrypt(owner.keys, bytes)
    if (flags & FLAG_COMPRESSED) bytes = await decompress(bytes, owner.maxSize)
  } catch (error) {
    return { reason: (error as Error).message }
  }
  if (bytes.length > owner.maxSize) return { reason: 'larger than MAX_DDO_SIZE' }
  if (`0x${createHash('sha256').update(bytes).digest('hex')}` !== published.hash)
    return { reason: 'does not have the hash that was published with it' }
  return checkDdo(bytes, owner)
}

function checkDdo(bytes: Uint8Array, owner: { nft: `0x${string}`; chainId: number }): Decoded {
  let text: string
  let document: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    document = JSON.parse(text)
  } catch {
    return { reason: 'is not JSON text' }
  }
  const read = readDdo(document)
  if ('problems' in read) {
    const [field, problem] = Object.entries(read.problems)[0] as [string, string]
    return { reason: `is not a valid DDO: ${field} ${problem}` }
  }
  if (!didsOf(owner.nft, owner.chainId).includes(read.ddo.id)) return { reason: 'is the DDO of another data NFT' }
  return { ddo: text, did: read.ddo.id }
}
