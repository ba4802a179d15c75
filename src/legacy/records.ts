import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'

/** What the legacy service has kept: the last nonce of an account, or a token that was deleted. */
export type LegacyRecord = { address: string; nonce: string } | { token: string }

/**
 * Identity of a token of the legacy service, which names none itself: made of what is signed, so that other spellings
 * of the same signature are the same token. Undefined for what is no token.
 */
export function legacyTokenId(token: string): string | undefined {
  const signed = /^([\w-]+\.[\w-]+)\.[\w-]+=*$/.exec(token)?.[1]
  return signed && `legacy ${createHash('sha256').update(signed).digest('base64url')}`
}

/** When a token ends by itself, in seconds since 1970; undefined where it does not say so. */
export function legacyTokenEnd(token: string): number | undefined {
  try {
    const end: unknown = decodeJwt(token).exp
    // the library does not look at the type of it
    return typeof end === 'number' && end >= 0 ? Math.min(Math.ceil(end), Number.MAX_SAFE_INTEGER) : undefined
  } catch {
    return undefined
  }
}
