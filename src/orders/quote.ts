import { type Address, encodePacked, type Hex, hexToBytes, hexToString, stringToHex } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { Chain } from '../chain/chains.js'
import type { ComputeEnvironment } from '../config/parsers.js'
import { keccak } from '../crypto/keccak.js'
import { type ProviderKey, personalDigest, recoverAddress, type Signature, signDigest } from '../crypto/keys.js'

/** What the provider asks for one order, signed: the datatoken contract checks it when the order is made. */
export interface ProviderFee extends Signature {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal, in the token's smallest unit. */
  providerFeeAmount: string
  /** Hex of the JSON {environment, timestamp, dt, id, chainId}; `timestamp` is when it was quoted. */
  providerData: Hex
  /** Seconds since 1970 until which the order may be made with it; 0 is without end. */
  validUntil: number
}

export interface QuoteRequest {
  datatoken: Address
  serviceId: string
  /** The compute environment that the order is for; null for plain access. */
  environment: ComputeEnvironment | null
  validUntil: number
  /** Seconds since 1970. */
  now: number
}

/** The provider fee for one service, signed with the chain's provider key. */
export function quoteFee(chain: Chain, request: QuoteRequest): ProviderFee {
  const { environment, now: timestamp, datatoken: dt, serviceId: id, validUntil } = request
  const data = { environment: environment?.id ?? null, timestamp, dt, id, chainId: chain.chainId }
  const terms: FeeTerms = {
    providerData: stringToHex(JSON.stringify(data)),
    providerFeeAddress: chain.key.address,
    providerFeeToken: chain.fee.token,
    providerFeeAmount: environment ? computeFee(environment, validUntil - timestamp) : chain.fee.amount,
    validUntil: BigInt(validUntil),
  }
  return {
    ...terms,
    providerFeeAmount: terms.providerFeeAmount.toString(),
    validUntil,
    ...signDigest(feeDigest(terms), chain.key),
  }
}

/** What an environment costs for a time in seconds, by the started minute. */
function computeFee({ pricePerMinute }: ComputeEnvironment, seconds: number): bigint {
  return pricePerMinute * BigInt(Math.max(0, Math.ceil(seconds / 60)))
}

/** The fields of a ProviderFee that are signed, as the contract emits them. */
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

/** What a fee says of itself: who signed it, and for what. */
interface Quoted {
  signer: Address | undefined
  dt?: unknown
  id?: unknown
  environment?: unknown
  chainId?: unknown
  timestamp?: unknown
}

/** Fees that were read before: those of kept orders come again and again. */
const READ = new WeakMap<EmittedFee, Quoted>()

/**
 * Whether this provider quoted the fee for this datatoken and service on this chain: the signature covers every field,
 * so a good one proves token, amount, data and validity at once. A quote of the previous form names no chain.
 */
export function isOwnQuote(
  fee: EmittedFee,
  { keys, chainId }: { keys: readonly ProviderKey[]; chainId: number },
  wanted: { datatoken: Address; serviceId: string },
): boolean {
  const key = keys.find(({ address }) => address === fee.providerFeeAddress)
  if (!key) return false
  const { signer, dt, id, chainId: quotedFor = chainId } = read(fee)
  return (
    signer === key.address &&
    quotedFor === chainId &&
    String(dt).toLowerCase() === wanted.datatoken.toLowerCase() &&
    id === wanted.serviceId
  )
}

/**
 * Whether a block lies within the time that an own quote is good for. One of the previous form had no end: what was
 * ordered with it before this service gave quotes one (`endingSince`), and for as long as a quote is good after that,
 * holds. The legacy service may still give such quotes, which are good for a day as well. Times are in seconds since 1970.
 */
export function wasGoodAt(fee: EmittedFee, block: bigint, endingSince: number): boolean {
  const { chainId, timestamp } = read(fee)
  const quoted = typeof timestamp === 'number' && timestamp < MILLISECONDS ? timestamp : 0
  const from = chainId === undefined ? Math.max(endingSince, quoted) : quoted
  return Number(block) <= from + BOUNDS.quotes.lifetime
}

/** From here on a number of seconds since 1970 can only be one of milliseconds. */
const MILLISECONDS = 100_000_000_000

function read(fee: EmittedFee): Quoted {
  const known = READ.get(fee)
  if (known) return known
  const signature = Buffer.concat([bytes(fee.r), bytes(fee.s), Buffer.of(fee.v)])
  const quoted: Quoted = { signer: recoverAddress(feeDigest(fee), signature) }
  try {
    const { dt, id, environment, chainId, timestamp } = JSON.parse(hexToString(fee.providerData)) as Quoted
    Object.assign(quoted, { dt, id, environment, chainId, timestamp })
  } catch {
    // something else that this key signed
  }
  READ.set(fee, quoted)
  return quoted
}

/** The environment that a fee was quoted for; null for plain access. Call it for an own quote alone. */
export function quotedEnvironment(fee: EmittedFee): string | null {
  const { environment } = read(fee)
  return typeof environment === 'string' ? environment : null
}

/** Digest that the datatoken contract recovers the provider from. */
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
