/** A nonce in its two forms: what is compared and stored, and what is shown. */
export interface Nonce {
  /** The text as the client sent it, which is what it signed. */
  text: string
  /**
   * Whole part padded to 40 digits, then the fraction without trailing zeros: ordering these texts byte by byte is
   * ordering the numbers exactly, with no float anywhere.
   */
  sortKey: string
}

const MAX_DIGITS = 40

/**
 * Reads a decimal nonce greater than zero, fractions allowed. Throws an Error that says what is wrong. `latest` is the
 * largest whole part accepted.
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

/** The stored nonce as a JSON number. */
export function nonceNumber(sortKey: string): string {
  return sortKey.replace(/^0+(?=\d)/, '')
}

/** What the service answers for an address that never used a nonce; the clients of the legacy service expect it. */
export const FIRST_NONCE = '1'

/** The largest whole part a nonce may have: microseconds since 1970 now, and `ahead` seconds more. */
export function latestNonce(nowMs: number, aheadSeconds: number): bigint {
  return (BigInt(Math.floor(nowMs)) + BigInt(aheadSeconds) * 1000n) * 1000n
}
