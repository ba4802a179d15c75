import { decodeJwt } from 'jose'

/**
 * A record of the legacy service: the last nonce of an address, which may be any text (`nonce` is undefined if its
 * format is none that the service writes), or a deleted token.
 */
export type LegacyRecord = { address: string; nonce: string | undefined } | { token: string }

/** The opened database of a legacy service. */
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
