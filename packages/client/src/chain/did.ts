import { type Address, getAddress, sha256, stringToBytes } from 'viem'
import { TidegateError } from '../errors.js'

/** Whether a text has the form of an asset's DID. */
export function isDid(text: string): boolean {
  return /^did:ope?:[0-9a-f]{64}$/.test(text)
}

/** The DID of a data NFT's asset, of documents of version 4 (`did:op:`) or 5 (`did:ope:`). */
export function didOf(nft: Address, chainId: number, method: 'did:op:' | 'did:ope:' = 'did:op:'): string {
  return method + sha256(stringToBytes(getAddress(nft) + chainId)).slice(2)
}

/** Throws TidegateError `WRONG_DOCUMENT` where a DID is not that of the NFT which a document names: it is somebody else's. */
export function assertOwnDid(did: string, nft: Address, chainId: number): void {
  const method = did.startsWith('did:ope:') ? 'did:ope:' : 'did:op:'
  if (did === didOf(nft, chainId, method)) return
  throw new TidegateError('WRONG_DOCUMENT', `The provider answered with a document of another asset than ${did}.`)
}
