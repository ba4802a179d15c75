import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { JsonBoundsError, parseJson } from '../json.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { didsOf, readDdo } from './ddo.js'
import { TOO_LARGE } from './lzma.js'
import { storedServices } from './stored-services.js'

/** Bits of the `flags` of a metadata event. */
export const FLAG_COMPRESSED = 1
export const FLAG_ENCRYPTED = 2

export interface PublishedDocument {
  flags: Hex
  data: Hex
  /** SHA-256 of the plain document. */
  hash: Hex
}

/** Returns whether a document is encrypted to the provider. */
export function isEncrypted({ flags }: Pick<PublishedDocument, 'flags'>): boolean {
  return flags !== '0x' && (Number(`0x${flags.slice(-2)}`) & FLAG_ENCRYPTED) !== 0
}

/** The document's text, DID and services (`IndexedAsset`), or the reason why this provider cannot use it. */
export type Decoded = { ddo: string; did: string; services?: string | undefined } | { reason: string }

/** The NFT that a document must belong to, and its limits. */
export interface DocumentOwner {
  nft: Address
  chainId: number
  /** Maximum bytes of the plain document. */
  maxSize: number
  /** Maximum ratio of plain to compressed size (`decompress`). */
  maxInflation?: number | undefined
}

/** A document, and its possible keys (`ddo/document-keys.ts`). */
export interface DocumentTask {
  published: PublishedDocument
  owner: DocumentOwner
  keys: readonly Uint8Array[]
}

/** Returns why a document needs no decoding, by its length; undefined if it may be within the limit. */
export function sizeProblem({ flags, data }: PublishedDocument, maxSize: number): string | undefined {
  // flags may have any number of bytes, but only one is used
  if (flags.length > 2 + 64) return 'unknown flags'
  return data.length > 2 + 2 * (maxSize + PROTOCOL_LIMITS.document.overhead) ? TOO_LARGE : undefined
}

/** Returns the SHA-256 as hex. */
export function sha256(data: Uint8Array | string): Hex {
  return `0x${createHash('sha256').update(data).digest('hex')}`
}

/** Parses UTF-8 JSON within the bounds of documents. Throws an Error with the problem. */
export function documentJson(bytes: Uint8Array): { text: string; json: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, json: parseJson(text, PROTOCOL_LIMITS.document) }
  } catch (error) {
    throw error instanceof JsonBoundsError ? error : new Error('is not JSON text')
  }
}

/** Checks that a plain document is a valid DDO of its NFT. */
export function checkDdo(bytes: Uint8Array, owner: DocumentOwner): Decoded {
  try {
    const { text, json } = documentJson(bytes)
    const read = readDdo(json)
    if ('problems' in read) {
      const [field, problem] = Object.entries(read.problems)[0] as [string, string]
      return { reason: `is not a valid DDO: ${field} ${problem}` }
    }
    if (!didsOf(owner.nft, owner.chainId).includes(read.ddo.id)) return { reason: 'is the DDO of another data NFT' }
    return { ddo: text, did: read.ddo.id, services: storedServices(text, json as Record<string, unknown>) }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}
