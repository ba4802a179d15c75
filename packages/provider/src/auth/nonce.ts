import { PROVIDER_LIMITS } from '../limits.js'

/** A nonce as it was sent, and as it is compared and stored. */
export interface Nonce {
  /** The text as the client sent and signed it. */
  text: string
  /**
   * Whole part padded to 40 digits, then the fraction without trailing zeros: the byte order of these keys is the exact
   * numeric order, without floating point.
   */
  sortKey: string
}

const MAX_DIGITS = PROVIDER_LIMITS.nonces.digits

/**
 * Parses a decimal nonce greater than zero, fractions allowed; `latest` is the largest accepted whole part. Throws an
 * Error that says what is wrong.
 */
export function parseNonce(text: string, latest: bigint): Nonce {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) throw new Error('must be a decimal number greater than zero, without sign, exponent or spaces')
  const [, whole = '', fraction = ''] = match
  if (whole.length + fraction.length > MAX_DIGITS) throw new Error(`must not have more than ${MAX_DIGITS} digits`)
  const exact = fraction.replace(/0+$/, '')
  if (BigInt(whole) === 0n && exact === '') throw new Error('must be greater than zero')
  if (BigInt(whole) > latest)
    throw new Error('is too far in the future: use the present UTC time, in seconds, milliseconds or microseconds')
  return { text, sortKey: whole.padStart(MAX_DIGITS, '0') + (exact ? `.${exact}` : '') }
}

/** Formats a stored nonce as a JSON number. */
export function nonceNumber(sortKey: string): string {
  return sortKey.replace(/^0+(?=\d)/, '')
}

/** The nonce that is returned for an address without one; clients of the legacy service expect it. */
export const FIRST_NONCE = '1'

/** Returns the largest accepted whole part of a nonce: the time in microseconds since 1970, plus `aheadSeconds`. */
export function maxNonce(nowMs: number, aheadSeconds: number): bigint {
  return (BigInt(Math.floor(nowMs)) + BigInt(aheadSeconds) * 1000n) * 1000n
}
