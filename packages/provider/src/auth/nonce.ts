import { PROVIDER_LIMITS } from '../limits.js'

/** A nonce as sent, and in the form for comparison and storage. */
export interface Nonce {
  /** The signed text. */
  text: string
  /**
   * Whole part padded to 40 digits, then the fraction without trailing zeros. The byte order of these keys is the exact
   * numeric order.
   */
  sortKey: string
}

const MAX_DIGITS = PROVIDER_LIMITS.nonces.digits

/**
 * Parses a decimal nonce above zero; fractions are allowed. `latest` is the greatest accepted whole part. Throws an
 * Error with the problem.
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

/** Nonce of an address without one. Legacy clients expect it. */
export const FIRST_NONCE = '1'

/** Returns the greatest accepted whole part of a nonce: the current time in microseconds plus `aheadSeconds`. */
export function maxNonce(nowMs: number, aheadSeconds: number): bigint {
  return (BigInt(Math.floor(nowMs)) + BigInt(aheadSeconds) * 1000n) * 1000n
}
