import { TokenError, ValidationError } from '@tidegate/protocol'
import { FIRST_MILLISECONDS } from '@tidegate/protocol/constants'
import type { Settings } from '../config/schema.js'
import type { TokenHolder, Tokens } from './tokens.js'

/** A requested expiration in seconds since 1970, and the name of its parameter. */
export interface RequestedExpiration {
  field: string
  value: number | undefined
}

/**
 * Issues a token. Without a requested expiration it has the default lifetime. Throws ValidationError for an expiration
 * in the past or beyond the longest lifetime.
 */
export function issueToken(
  tokens: Tokens,
  settings: Pick<Settings, 'AUTH_TOKEN_LIFETIME' | 'AUTH_TOKEN_MAX_LIFETIME'>,
  holder: TokenHolder,
  { field, value }: RequestedExpiration,
): string {
  const { AUTH_TOKEN_LIFETIME: lifetime, AUTH_TOKEN_MAX_LIFETIME: longest } = settings
  const now = Math.floor(Date.now() / 1000)
  const expiresAt = value ?? now + Math.min(lifetime, longest)
  const subject = field === 'message' ? 'The expiration time in the message field' : `The ${field} field`
  const refuse = (why: string) => ValidationError.of(field, `${subject} ${why}.`)
  if (expiresAt >= FIRST_MILLISECONDS) throw refuse('must be in seconds since 1970 (UTC), and looks like milliseconds')
  if (expiresAt <= now) throw refuse('must lie in the future (seconds since 1970, UTC)')
  if (expiresAt > now + longest) throw refuse(`must not lie more than ${longest} seconds ahead`)
  return tokens.issue(holder, expiresAt, now)
}

/** Revokes a token of the signer. Throws TokenError if it is invalid, or was issued to another address. */
export async function revokeToken(tokens: Tokens, signer: TokenHolder, token: string): Promise<void> {
  const claims = await tokens.verify(token)
  const isSameChain = signer.chainId === undefined || signer.chainId === claims.chainId
  if (claims.address !== signer.address || !isSameChain)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to another address.')
  await tokens.revoke(claims, Math.floor(Date.now() / 1000))
}
