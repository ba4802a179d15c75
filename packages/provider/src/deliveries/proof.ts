import type { Chain } from '@tidegate/chain'
import { keccak } from '@tidegate/protocol'
import { personalDigest, signDigest } from '@tidegate/protocol/keys'
import { type Address, concat, type Hex, hexToBytes, parseAbi, stringToHex } from 'viem'

/** A completed delivery, and the signature of its consumer. */
export interface Delivery {
  chainId: number
  datatoken: Address
  /** Transaction of the order, not of its reuse. */
  orderTxId: Hex
  serviceIndex: number
  /** -1: an archive of all files. */
  fileIndex: number
  /** Bytes delivered. */
  bytes: number
  /** Whether the whole file was delivered, not a range. */
  whole: boolean
  consumerAddress: Address
  /** The signed message and its signature; both empty with an auth token. */
  consumerData: string
  consumerSignature: string
}

/** Returns the key of an on-chain proof: one for each order and file. */
export function subjectOf({ chainId, orderTxId, datatoken, serviceIndex, fileIndex }: Delivery): string {
  return [chainId, orderTxId, datatoken, serviceIndex, fileIndex].join(' ')
}

/** A proof of delivery, signed by the provider, in the format of datatoken contract and receivers. */
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

/** Signs a delivery with the provider key. The datatoken contract verifies the signature over order transaction and data. */
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

/** Returns the arguments of `orderExecuted`. */
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
