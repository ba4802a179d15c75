import type { Chain } from '@tidegate/chain'
import { keccak, memoized } from '@tidegate/protocol'
import { type ProviderKey, personalDigest, recoverAddress, type Signature, signDigest } from '@tidegate/protocol/keys'
import { type Address, encodePacked, type Hex, hexToBytes, hexToString, stringToHex } from 'viem'
import type { ComputeEnvironment } from '../config/parsers/chains.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { defaultPrice, type Price } from './fees.js'

/** The signed provider fee of one order. The datatoken contract verifies it. */
export interface ProviderFee extends Signature {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal amount in the token's smallest unit. */
  providerFeeAmount: string
  /** Hex of the JSON {environment, timestamp, dt, id, chainId, fileIndex?}. `timestamp`: time of the quote. */
  providerData: Hex
  /** End of the paid compute time, in seconds since 1970; 0: none. The quote itself is valid for a day. */
  validUntil: number
}

export interface QuoteRequest {
  datatoken: Address
  serviceId: string
  /** Compute environment of the order; null for access. */
  environment: ComputeEnvironment | null
  validUntil: number
  /** The single file of the order; undefined: all files of the service. */
  fileIndex?: number | undefined
  /** Seconds since 1970. */
  now: number
  /** Undefined: the default fee. */
  price?: Price | undefined
}

/** Quotes the provider fee of a service, signed with the provider key of the chain. */
export function quoteFee(chain: Chain, request: QuoteRequest): ProviderFee {
  const { environment, now: timestamp, datatoken: dt, serviceId: id, validUntil, fileIndex } = request
  const { token, amount } = request.price ?? defaultPrice(chain, environment, validUntil - timestamp)
  const data = { environment: environment?.id ?? null, timestamp, dt, id, chainId: chain.chainId, fileIndex }
  const terms: FeeTerms = {
    providerData: stringToHex(JSON.stringify(data)),
    providerFeeAddress: chain.key.address,
    providerFeeToken: token,
    providerFeeAmount: amount,
    validUntil: BigInt(validUntil),
  }
  return {
    ...terms,
    providerFeeAmount: terms.providerFeeAmount.toString(),
    validUntil,
    ...signDigest(feeDigest(terms), chain.key),
  }
}

/** The signed fields of a ProviderFee in contract events. */
export interface FeeTerms {
  providerFeeAddress: Address
  providerFeeToken: Address
  providerFeeAmount: bigint
  providerData: Hex
  validUntil: bigint
}

/** A ProviderFee in the events of the datatoken contract. */
export interface EmittedFee extends FeeTerms {
  v: number
  r: Hex
  s: Hex
}

/** The unchecked contents of a quote, and its signer. */
interface QuoteContents {
  signer: Address | undefined
  dt?: unknown
  id?: unknown
  environment?: unknown
  chainId?: unknown
  timestamp?: unknown
  fileIndex?: unknown
}

/**
 * Returns whether this provider quoted the fee for this datatoken and service on this chain. The signature covers token,
 * amount, data and validity. Legacy quotes name no chain.
 */
export function isOwnQuote(
  fee: EmittedFee,
  { keys, chainId }: { keys: readonly Pick<ProviderKey, 'address'>[]; chainId: number },
  expected: { datatoken: Address; serviceId: string },
): boolean {
  const key = keys.find(({ address }) => address === fee.providerFeeAddress)
  if (!key) return false
  const { signer, dt, id, chainId: quotedFor = chainId } = contentsOf(fee)
  return (
    signer === key.address &&
    quotedFor === chainId &&
    String(dt).toLowerCase() === expected.datatoken.toLowerCase() &&
    id === expected.serviceId
  )
}

/**
 * Returns whether a block's time is within the lifetime of an own quote. Legacy quotes have no expiry: all are accepted
 * until one lifetime after `endingSince`, when this service began to issue expiring quotes; later, each lives for a day.
 * Times are in seconds since 1970.
 */
export function isQuoteValidAt(fee: EmittedFee, block: bigint, endingSince: number): boolean {
  const { chainId, timestamp } = contentsOf(fee)
  const quoted = typeof timestamp === 'number' && timestamp < MILLISECONDS ? timestamp : 0
  const from = chainId === undefined ? Math.max(endingSince, quoted) : quoted
  return Number(block) <= from + PROVIDER_LIMITS.quotes.lifetime
}

/** Greater timestamps are in milliseconds, smaller ones in seconds. */
const MILLISECONDS = 100_000_000_000

/** Memoized: every download reads the fees of cached orders again. */
const contentsOf = memoized((fee: EmittedFee): QuoteContents => {
  const signature = Buffer.concat([bytes(fee.r), bytes(fee.s), Buffer.of(fee.v)])
  const contents: QuoteContents = { signer: recoverAddress(feeDigest(fee), signature) }
  try {
    const data = JSON.parse(hexToString(fee.providerData)) as QuoteContents
    const { dt, id, environment, chainId, timestamp, fileIndex } = data
    Object.assign(contents, { dt, id, environment, chainId, timestamp, fileIndex })
  } catch {
    // signed with this key, but no quote
  }
  return contents
})

/** Returns the environment of a fee; null for access. Only for own quotes. */
export function quotedEnvironment(fee: EmittedFee): string | null {
  const { environment } = contentsOf(fee)
  return typeof environment === 'string' ? environment : null
}

/**
 * Returns whether an order with this fee opens a file; `file` undefined: all files of a service with several. A quote
 * with `fileIndex` opens only that file, and none if the value is no index. Only for own quotes.
 */
export function opensFile(fee: EmittedFee, file: number | undefined): boolean {
  const { fileIndex } = contentsOf(fee)
  return fileIndex === undefined || fileIndex === file
}

/** Returns the digest from which the datatoken contract recovers the provider address. */
function feeDigest(terms: FeeTerms): Uint8Array {
  const packed = encodePacked(
    ['bytes', 'address', 'address', 'uint256', 'uint256'],
    [terms.providerData, terms.providerFeeAddress, terms.providerFeeToken, terms.providerFeeAmount, terms.validUntil],
  )
  return personalDigest(keccak(hexToBytes(packed)))
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
