import type { Address } from './hex.js'

/** Generation of an asset's document: version 4, or version 5 (a verifiable credential). */
export type Generation = 4 | 5

const METHODS: Record<Generation, string> = { 4: 'did:op:', 5: 'did:ope:' }

/** Returns whether a text has the form of an asset's DID. */
export function isDid(text: string): boolean {
  return /^did:ope?:[0-9a-f]{64}$/.test(text)
}

/** Returns the DID of a data NFT's asset. */
export type DidOf = (nft: Address, chainId: number, generation?: Generation) => string

/**
 * Makes `didOf`: the method, and the SHA-256 over the address with its EIP-55 checksum and the decimal chain id. The platform
 * gives the checksum, and the hash as hex digits.
 */
export function makeDidOf(checksummed: (address: Address) => Address, sha256: (text: string) => string): DidOf {
  return (nft, chainId, generation = 4) => METHODS[generation] + sha256(checksummed(nft) + chainId)
}
