import type { Chain } from '@tidegate/chain'
import { keccak, memoized } from '@tidegate/protocol'
import { type ProviderKey, personalDigest, recoverAddress, type Signature, signDigest } from '@tidegate/protocol/keys'
import { type Address, encodePacked, type Hex, hexToBytes, hexToString, stringToHex } from 'viem'
import type { ComputeEnvironment } from '../config/parsers/chains.js'
import { PROVIDER_LIMITS } from '../limits.js'
import { defaultPrice, type Price } from './fees.js'

/** The signed provider fee of one order; the datatoken contract checks it when the order is placed. */
export interface ProviderFee extends Signature {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal amount in the token's smallest unit. */
  providerFeeAmount: string
  /** Hex of the JSON {environment, timestamp, dt, id, chainId, fileIndex?}; `timestamp` is the time of the quote. */
  providerData: Hex
  /** End of the compute time that the fee pays for, in seconds since 1970; 0 for none. The quote itself is valid for a day. */
  validUntil: number
}

export interface QuoteRequest {
  datatoken: Address
  serviceId: string
  /** The compute environment that the order is for; null for plain access. */
  environment: ComputeEnvironment | null
  validUntil: number
  /** The only file that the order opens; undefined for all files of the service. */
  fileIndex?: number | undefined
  /** Seconds since 1970. */
  now: number
  /** The default fee if undefined. */
  price?: Price | undefined
}

/** Quotes the provider fee for one service, signed with the chain's provider key. */
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

/** The signed fields of a ProviderFee, as the contract emits them. */
export interface FeeTerms {
  providerFeeAddress: Address
  providerFeeToken: Address
  providerFeeAmount: bigint
  providerData: Hex
  validUntil: bigint
}

/** A ProviderFee as the datatoken contract emitted it. */
export interface EmittedFee extends FeeTerms {
  v: number
  r: Hex
  s: Hex
}

/** The contents of a quote, unchecked, and its signer. */
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
 * Returns whether this provider quoted the fee for this datatoken and service on this chain. The signature covers every
 * field, so a valid one proves token, amount, data and validity at once. Quotes of the previous format name no chain.
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
 * Returns whether a block's time lies within the lifetime of an own quote. Quotes of the previous format did not
 * expire: they are accepted until one lifetime after this service began to issue expiring ones (`endingSince`). The
 * legacy service may still issue such quotes, which live for a day as well. Times are in seconds since 1970.
 */
export function isQuoteValidAt(fee: EmittedFee, block: bigint, endingSince: number): boolean {
  const { chainId, timestamp } = contentsOf(fee)
  const quoted = typeof timestamp === 'number' && timestamp < MILLISECONDS ? timestamp : 0
  const from = chainId === undefined ? Math.max(endingSince, quoted) : quoted
  return Number(block) <= from + PROVIDER_LIMITS.quotes.lifetime
}

/** Timestamps from this value on can only be in milliseconds, not in seconds. */
const MILLISECONDS = 100_000_000_000

/** Memoized, since every download reads the fees of cached orders again. */
const contentsOf = memoized((fee: EmittedFee): QuoteContents => {
  const signature = Buffer.concat([bytes(fee.r), bytes(fee.s), Buffer.of(fee.v)])
  const contents: QuoteContents = { signer: recoverAddress(feeDigest(fee), signature) }
  try {
    const data = JSON.parse(hexToString(fee.providerData)) as QuoteContents
    const { dt, id, environment, chainId, timestamp, fileIndex } = data
    Object.assign(contents, { dt, id, environment, chainId, timestamp, fileIndex })
  } catch {
    // signed with this key, but not a quote
  }
  return contents
})

/** Returns the environment that a fee was quoted for; null for plain access. Only meaningful for an own quote. */
export function quotedEnvironment(fee: EmittedFee): string | null {
  const { environment } = contentsOf(fee)
  return typeof environment === 'string' ? environment : null
}

/**
 * Returns whether an order with this fee opens a file; undefined stands for all files of a service with several. A quote
 * with `fileIndex` opens that file alone, and none if the value is not an index. Only meaningful for an own quote.
 */
export function opensFile(fee: EmittedFee, file: number | undefined): boolean {
  const { fileIndex } = contentsOf(fee)
  return fileIndex === undefined || fileIndex === file
}

/** The digest from which the datatoken contract recovers the provider's address. */
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
