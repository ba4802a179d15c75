import { PROVIDER_LIMITS, parseNonce } from '@tidegate/provider/state'
import { LEGACY_LIMITS } from './limits.js'

/**
 * A legacy nonce as sort key. `unused`: below every valid nonce, so that dropping it allows no replay. `unknown`: the
 * used nonces are unknown.
 */
export type LegacyNonce = { sortKey: string } | 'unused' | 'unknown'

const DIGITS = PROVIDER_LIMITS.nonces.digits

/** Upper limit of the whole part of a nonce. */
const NO_LIMIT = 10n ** BigInt(DIGITS)

/** The finite numbers of Python's `float`: with sign, exponent, and underscores between digits. */
const NUMBER = /^([+-]?)(?=\.?\d)((?:\d+(?:_\d+)*)?)(?:\.((?:\d+(?:_\d+)*)?))?(?:e([+-]?\d+(?:_\d+)*))?$/i

/**
 * Reads a nonce like Python's `float`, but exactly. A number with too many digits is rounded up, so that used nonces
 * stay below it.
 */
export function readLegacyNonce(raw: string | undefined): LegacyNonce {
  if (raw === undefined || raw.length > LEGACY_LIMITS.records.value) return 'unknown'
  const text = raw.trim()
  if (/^-inf(?:inity)?$/i.test(text)) return 'unused'
  const match = NUMBER.exec(text)
  if (!match) return 'unknown'
  const [, sign, whole = '', fraction = '', exponent = '0'] = match.map((part) => part?.replaceAll('_', ''))
  const digits = `${whole}${fraction}`
  const first = digits.search(/[1-9]/)
  if (first < 0 || sign === '-') return 'unused'
  return exactly(digits.slice(first), (whole as string).length - first + Number(exponent))
}

/** Returns the sort key of digits without leading zeros, with the decimal point after `point` of them. */
function exactly(digits: string, point: number): LegacyNonce {
  if (point > DIGITS) return 'unknown'
  if (point < -DIGITS) return 'unused'
  const whole = digits.slice(0, Math.max(point, 0)).padEnd(Math.max(point, 1), '0')
  const fraction = '0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))
  const kept = fraction.slice(0, DIGITS - whole.length)
  const up = /[1-9]/.test(fraction.slice(kept.length)) ? 1n : 0n
  const text = (BigInt(whole + kept) + up).toString().padStart(whole.length + kept.length, '0')
  const [left, right] = [text.slice(0, text.length - kept.length), text.slice(text.length - kept.length)]
  const rest = right.replace(/0+$/, '')
  if (left.length > DIGITS) return 'unknown'
  return parseNonce(rest === '' ? left : `${left}.${rest}`, NO_LIMIT)
}
