import { decodeJwt } from 'jose'

/**
 * A legacy record: the last nonce of an address, or a deleted token. `nonce` may be any text; undefined for an unknown
 * format.
 */
export type LegacyRecord = { address: string; nonce: string | undefined } | { token: string }

/** The database of a legacy service. */
export interface LegacySource {
  records(): Iterable<LegacyRecord> | AsyncIterable<LegacyRecord>
  close(): void
}

/** Returns the expiry of a token, in seconds since 1970; undefined if it has none. */
export function legacyTokenExpiry(token: string): number | undefined {
  try {
    const expiry: unknown = decodeJwt(token).exp
    // the library does not check its type
    return typeof expiry === 'number' && expiry >= 0 ? Math.min(Math.ceil(expiry), Number.MAX_SAFE_INTEGER) : undefined
  } catch {
    return undefined
  }
}
