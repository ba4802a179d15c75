import type { Chain } from '@tidegate/chain'
import { keccak, memoized } from '@tidegate/protocol'
import { FIRST_MILLISECONDS } from '@tidegate/protocol/constants'
import { type ProviderKey, personalDigest, recoverAddress, type Signature, signDigest } from '@tidegate/protocol/keys'
import { type Address, encodePacked, type Hex, hexToBytes, hexToString, stringToHex } from 'viem'
import type { ComputeEnvironment } from '../config/parsers/chains.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { OrderClaim } from './claim.js'
import { defaultPrice, type Price } from './fees.js'

/** The signed provider fee of one order. The datatoken contract verifies it. */
export interface ProviderFee extends Signature {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal amount in the token's smallest unit. */
  providerFeeAmount: string
  /** Hex of the JSON {environment, timestamp, dt, id, chainId, fileIndex?, file?}. `timestamp`: time of the quote. `file`: its identity. */
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
  file?: { index: number; identity: string } | undefined
  /** Seconds since 1970. */
  now: number
  /** Undefined: the default fee. */
  price?: Price | undefined
}

/** Quotes the provider fee of a service, signed with the provider key of the chain. */
export function quoteFee(chain: Chain, request: QuoteRequest): ProviderFee {
  const { environment, now: timestamp, datatoken: dt, serviceId: id, validUntil, file } = request
  const { token, amount } = request.price ?? defaultPrice(chain, environment, validUntil - timestamp)
  const { index: fileIndex, identity } = file ?? {}
  const about = { timestamp, dt, id, chainId: chain.chainId, fileIndex, file: identity }
  const data = { environment: environment?.id ?? null, ...about }
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
  file?: unknown
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
  const quoted = typeof timestamp === 'number' && timestamp < FIRST_MILLISECONDS ? timestamp : 0
  const from = chainId === undefined ? Math.max(endingSince, quoted) : quoted
  return Number(block) <= from + PROVIDER_LIMITS.quotes.lifetime
}

/** Memoized: every download reads the fees of cached orders again. */
const contentsOf = memoized((fee: EmittedFee): QuoteContents => {
  const signature = Buffer.concat([bytes(fee.r), bytes(fee.s), Buffer.of(fee.v)])
  const contents: QuoteContents = { signer: recoverAddress(feeDigest(fee), signature) }
  try {
    const data = JSON.parse(hexToString(fee.providerData)) as QuoteContents
    const { dt, id, environment, chainId, timestamp, fileIndex, file } = data
    Object.assign(contents, { dt, id, environment, chainId, timestamp, fileIndex, file })
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

type ClaimedFile = Pick<OrderClaim, 'fileIndex' | 'identities'>

/**
 * Returns whether an order with this fee opens a file. A quote with `fileIndex` opens only that file, wherever it is now, and none if the
 * value is no index. Those of earlier versions name no identity, and open what is at the index. Only for own quotes.
 */
export function opensFile(fee: EmittedFee, { fileIndex: claimed, identities }: ClaimedFile): boolean {
  const { fileIndex, file } = contentsOf(fee)
  if (fileIndex === undefined) return true
  if (file === undefined || !isIndex(fileIndex)) return fileIndex === claimed
  return claimed !== undefined && typeof file === 'string' && identities.is(file, claimed)
}

/** Whether the service lacks the only file that an order with this fee opens. Only for own quotes. */
export function isFileGone(fee: EmittedFee, { identities }: Pick<OrderClaim, 'identities'>): boolean {
  const { fileIndex, file } = contentsOf(fee)
  return isIndex(fileIndex) && typeof file === 'string' && identities.find(file, fileIndex) === undefined
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

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
