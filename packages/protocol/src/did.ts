import type { Address } from './hex.js'

/** Generation of a document: version 4, or version 5 (a verifiable credential). */
export type Generation = 4 | 5

const METHODS: Record<Generation, string> = { 4: 'did:op:', 5: 'did:ope:' }

/** Returns whether a text has the form of a DID of an asset. */
export function isDid(text: string): boolean {
  return /^did:ope?:[0-9a-f]{64}$/.test(text)
}

/** Characters of the hash that a DID ends with. */
const HASH = 64

/** Returns the hash of a DID, which all DIDs of a data NFT have in common. */
export function didHash(did: string): string {
  return did.slice(-HASH)
}

/** Returns every DID with a hash: one for each generation of documents. */
export function didsWith(hash: string): string[] {
  return Object.values(METHODS).map((method) => method + hash)
}

/** Returns the DID of a data NFT. */
export type DidOf = (nft: Address, chainId: number, generation?: Generation) => string

/**
 * Makes `didOf`: the method, then the SHA-256 over checksummed address and decimal chain id. The platform provides the
 * checksum, and the hash as hex.
 */
export function makeDidOf(checksummed: (address: Address) => Address, sha256: (text: string) => string): DidOf {
  return (nft, chainId, generation = 4) => METHODS[generation] + sha256(checksummed(nft) + chainId)
}
