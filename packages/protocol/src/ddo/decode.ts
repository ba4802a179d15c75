import { decryptContent } from '../crypto/ecies-content.js'
import { decompress, TOO_LARGE } from './lzma.js'
import {
  checkDdo,
  type Decoded,
  type DocumentOwner,
  FLAG_COMPRESSED,
  FLAG_ENCRYPTED,
  type PublishedDocument,
  sha256,
  sizeProblem,
} from './published-document.js'

/**
 * Decrypts, decompresses and validates the document of a metadata event: its SHA-256 must match, and it must be the DDO
 * of the emitting NFT. `keys`: the possible keys (`ddo/document-keys.ts`). The document is untrusted, so the service
 * decodes it in the sandbox (`catalog/src/documents.ts`).
 */
export async function decodeDocument(
  published: PublishedDocument,
  owner: DocumentOwner,
  keys: readonly Uint8Array[],
): Promise<Decoded> {
  const tooLarge = sizeProblem(published, owner.maxSize)
  if (tooLarge) return { reason: tooLarge }
  const flags = published.flags === '0x' ? 0 : Number(BigInt(published.flags))
  if ((flags & ~(FLAG_COMPRESSED | FLAG_ENCRYPTED)) !== 0) return { reason: 'unknown flags' }
  let bytes: Uint8Array = Buffer.from(published.data.slice(2), 'hex')
  try {
    if (flags & FLAG_ENCRYPTED) bytes = decryptContent(keys, bytes)
    if (flags & FLAG_COMPRESSED) bytes = await decompress(bytes, owner.maxSize, owner.maxInflation)
  } catch (error) {
    return { reason: (error as Error).message }
  }
  if (bytes.length > owner.maxSize) return { reason: TOO_LARGE }
  if (!hasPublishedHash(bytes, flags, published)) return { reason: 'does not have the hash that was published with it' }
  return checkDdo(bytes, owner)
}

/**
 * Returns whether a document has its published hash. `createAsset` of the client libraries publishes a plain document
 * with the hash of its hex text, `0x` included.
 */
function hasPublishedHash(bytes: Uint8Array, flags: number, { data, hash }: PublishedDocument): boolean {
  const published = hash.toLowerCase()
  return sha256(bytes) === published || (flags === 0 && sha256(data.toLowerCase()) === published)
}
