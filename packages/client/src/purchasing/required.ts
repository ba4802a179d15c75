import { addressIn, fieldsOf, listOf } from '@tidegate/protocol/values'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import type { Required } from './types.js'

/** Entries `accepts` that are read. */
const ENTRIES = 20

/**
 * Returns the exact payment on a chain that a response asks for; undefined if it asks for none that this library can sign.
 */
export function requiredIn(headers: Headers, chainId: number): Required | undefined {
  const { x402Version, accepts } = fieldsOf(decoded(headers.get('payment-required')))
  if (x402Version !== 2) return undefined
  for (const entry of listOf(accepts, ENTRIES)) {
    const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = fieldsOf(entry)
    const { assetTransferMethod = 'eip3009', name, version } = fieldsOf(extra)
    const [token, payee] = [addressIn(asset), addressIn(payTo)]
    if (scheme !== 'exact' || network !== `eip155:${chainId}` || assetTransferMethod !== 'eip3009') continue
    if (!token || !payee || typeof amount !== 'string' || !/^\d{1,78}$/.test(amount)) continue
    if (typeof name !== 'string' || typeof version !== 'string') continue
    const { least, most } = LIMITS.purchasing.valid
    const valid = Math.min(Math.max(Number(maxTimeoutSeconds) || 0, least), most)
    return { chainId, token, units: BigInt(amount), payTo: payee, name, version, valid }
  }
  return undefined
}

/** Whether a response says in PAYMENT-RESPONSE that a payment failed: the reason, as a word of x402; undefined if it does not. */
export function failureIn(headers: Headers): string | undefined {
  const { success, errorReason } = fieldsOf(decoded(headers.get('payment-response')))
  if (success !== false) return undefined
  return typeof errorReason === 'string' && /^\w{1,100}$/.test(errorReason) ? errorReason : 'unknown'
}

/** Returns a header of x402: JSON in base64. */
export const encoded = (value: unknown) =>
  btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))

function decoded(header: string | null): unknown {
  if (header === null || header.length > LIMITS.purchasing.header) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header), (one) => one.charCodeAt(0))))
  } catch {
    return undefined
  }
}

/** Returns the error for a price that this library cannot pay. */
export function notPayable(why: string): TidegateError {
  return new TidegateError('BAD_ANSWER', `The provider's price cannot be paid by a signature: ${why} Nothing was paid.`)
}
