import { getAddress, sha256, stringToBytes } from 'viem'
import { type DidOf, makeDidOf } from '../did.js'

/** Returns the DID of a data NFT's asset, for documents of version 4 or 5. */
export const didOf: DidOf = /* @__PURE__ */ makeDidOf(getAddress, (text) => sha256(stringToBytes(text)).slice(2))
