import { type Address, concat, type Hex, hexToBytes, parseAbi, stringToHex } from 'viem'
import type { Chain } from '../chain/chains.js'
import { keccak } from '../crypto/keccak.js'
import { personalDigest, signDigest } from '../crypto/keys.js'

/** What was delivered to whom, and what the consumer signed for it. */
export interface Delivery {
  chainId: number
  datatoken: Address
  /** The transaction of the order itself. */
  orderTxId: Hex
  serviceIndex: number
  fileIndex: number
  /** Bytes that were handed out. */
  bytes: number
  /** Whether they were the whole file, and not a part that was asked for. */
  whole: boolean
  consumerAddress: Address
  /** The text that the consumer signed, and the signature; neither where an auth token was sent in its place. */
  consumerData: string
  consumerSignature: string
}

/** What is proven on the chain once: that a file was delivered for an order. */
export function subjectOf({ chainId, orderTxId, datatoken, serviceIndex, fileIndex }: Delivery): string {
  return [chainId, orderTxId, datatoken, serviceIndex, fileIndex].join(' ')
}

/** A delivery with the provider's word on it, in the form that the datatoken contract and receivers of proofs know. */
export interface Proof {
  orderTxId: Hex
  providerData: string
  providerSignature: Hex
  consumerData: string
  consumerSignature: string
  consumerAddress: Address
}

export const ORDER_EXECUTED = parseAbi([
  'function orderExecuted(bytes32 orderTxId, bytes providerData, bytes providerSignature, bytes consumerData, bytes consumerSignature, address consumerAddress)',
])

/** Signs a delivery as the provider: over the order's transaction and the data, as the datatoken contract checks it. */
export function proofOf(delivery: Delivery, { key }: Chain): Proof {
  const { orderTxId, bytes, consumerData, consumerSignature, consumerAddress } = delivery
  const providerData = JSON.stringify({ downloadedBytes: bytes })
  const { r, s, v } = signDigest(
    personalDigest(keccak(hexToBytes(concat([orderTxId, stringToHex(providerData)])))),
    key,
  )
  const providerSignature = concat([r, s, v === 27 ? '0x1b' : '0x1c'])
  return { orderTxId, providerData, providerSignature, consumerData, consumerSignature, consumerAddress }
}

/** The arguments of `orderExecuted`. */
export function callArguments(proof: Proof) {
  return [
    proof.orderTxId,
    stringToHex(proof.providerData),
    proof.providerSignature,
    stringToHex(proof.consumerData),
    proof.consumerSignature as Hex,
    proof.consumerAddress,
  ] as const
}
