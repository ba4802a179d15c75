import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { BOUNDS } from '../../bounds.js'
import { decrypt } from '../../crypto/ecies.js'
import type { ProviderKey } from '../../crypto/keys.js'
import { JsonBoundsError, parseJson } from '../../json.js'
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

/** Whether a document was published so that nobody reads it but the provider. */
export function isEncrypted({ flags }: Pick<PublishedDocument, 'flags'>): boolean {
  return flags !== '0x' && (Number(`0x${flags.slice(-2)}`) & FLAG_ENCRYPTED) !== 0
}

/** The text of the document and its DID, or the reason why this provider cannot use it. */
export type Decoded = { ddo: string; did: string } | { reason: string }

/** Whose document it must be, and what it takes to read it. */
export interface DocumentOwner {
  nft: Address
  chainId: number
  keys: readonly ProviderKey[]
  /** Most bytes of the plain document. */
  maxSize: number
}

/** Why a document is not worth a look: it is longer than one of the allowed size can be. */
export function sizeProblem({ flags, data }: PublishedDocument, maxSize: number): string | undefined {
  // flags are bytes of any number, of which one is used
  if (flags.length > 2 + 64) return 'unknown flags'
  return data.length > 2 + 2 * (maxSize + BOUNDS.document.overhead) ? 'larger than MAX_DDO_SIZE' : undefined
}

/**
 * Decrypts, decompresses and checks the document of a metadata event: the SHA-256 must match, and it must be the DDO
 * of the NFT that emitted it. It may be anybody's work: the service has it read in the sandbox (`assets/documents.ts`).
 */
export async function decodeDocument(published: PublishedDocument, owner: DocumentOwner): Promise<Decoded> {
  const tooLarge = sizeProblem(published, owner.maxSize)
  if (tooLarge) return { reason: tooLarge }
  const flags = published.flags === '0x' ? 0 : Number(BigInt(published.flags))
  if ((flags & ~(FLAG_COMPRESSED | FLAG_ENCRYPTED)) !== 0) return { reason: 'unknown flags' }
  let bytes: Uint8Array = Buffer.from(published.data.slice(2), 'hex')
  try {
    if (flags & FLAG_ENCRYPTED) bytes = decrypt(owner.keys, bytes)
    if (flags & FLAG_COMPRESSED) bytes = await decompress(bytes, owner.maxSize)
  } catch (error) {
    return { reason: (error as Error).message }
  }
  if (bytes.length > owner.maxSize) return { reason: 'larger than MAX_DDO_SIZE' }
  if (sha256(bytes) !== published.hash.toLowerCase())
    return { reason: 'does not have the hash that was published with it' }
  return checkDdo(bytes, owner)
}

/** SHA-256 as hex. */
export function sha256(data: Uint8Array | string): Hex {
  return `0x${createHash('sha256').update(data).digest('hex')}`
}

/** Reads UTF-8 text as JSON of the shape that a document may have. Throws an Error that says what is wrong. */
export function documentJson(bytes: Uint8Array): { text: string; json: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, json: parseJson(text, BOUNDS.document) }
  } catch (error) {
    throw error instanceof JsonBoundsError ? error : new Error('is not JSON text')
  }
}

/** Checks that a plain document is the DDO of its NFT. */
export function checkDdo(bytes: Uint8Array, owner: DocumentOwner): Decoded {
  try {
    const { text, json } = documentJson(bytes)
    const read = readDdo(json)
    if ('problems' in read) {
      const [field, problem] = Object.entries(read.problems)[0] as [string, string]
      return { reason: `is not a valid DDO: ${field} ${problem}` }
    }
    if (!didsOf(owner.nft, owner.chainId).includes(read.ddo.id)) return { reason: 'is the DDO of another data NFT' }
    return { ddo: text, did: read.ddo.id }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}
