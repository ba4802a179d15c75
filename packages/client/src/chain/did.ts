import { makeDidOf } from '@tidegate/protocol/did'
import { type Address, getAddress, sha256, stringToBytes } from 'viem'
import { TidegateError } from '../errors.js'

/** Returns the DID of a data NFT's asset, for documents of version 4 or 5. */
export const didOf: (nft: Address, chainId: number, generation?: 4 | 5) => string = /* @__PURE__ */ makeDidOf(
  getAddress,
  (text) => sha256(stringToBytes(text)).slice(2),
)

/** Throws TidegateError `WRONG_DOCUMENT` if a DID is not that of its document's NFT. */
export function assertOwnDid(did: string, nft: Address, chainId: number): void {
  if (did === didOf(nft, chainId, did.startsWith('did:ope:') ? 5 : 4)) return
  throw new TidegateError('WRONG_DOCUMENT', `The provider answered with a document of another asset than ${did}.`)
}
