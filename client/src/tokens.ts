import type { Context } from './context.js'
import { TidegateError } from './errors.js'
import { signed } from './signing.js'
import { fieldsOf } from './values.js'
import type { Answer } from './wire.js'

export interface TokenOptions {
  /** Seconds until it expires; an hour where it is not given. */
  lifetime?: number
  /** The chain of a contract wallet, where the provider serves several. */
  chainId?: number
  signal?: AbortSignal
}

export interface Token {
  /** What `createTidegate` takes as `token`, and requests as the header `AuthToken`. A secret. */
  token: string
  expires: Date
}

/**
 * Makes an auth token, which stands for the wallet's signatures until it expires or is deleted. Signed by the wallet.
 * Throws TidegateError, with `VALIDATION` where the provider grants no such lifetime.
 */
export async function createToken(context: Context, options: TokenOptions = {}): Promise<Token> {
  const { lifetime = 3600, chainId, signal } = options
  const validUntil = Math.floor(Date.now() / 1000) + lifetime
  const answer = await signed(
    context,
    'createAuthToken',
    (proof) => context.api.post<unknown>('/api/services/auth/token', { ...proof, validUntil, chainId }, signal),
    signal,
  )
  const { token }: Partial<Answer<'generateAuthToken'>> = fieldsOf(answer)
  if (typeof token !== 'string' || token === '' || token.length > 4096)
    throw new TidegateError('BAD_ANSWER', "The provider's response has no token.")
  return { token, expires: new Date(validUntil * 1000) }
}

/** Ends an auth token of the wallet's account for good, with the links made with it. Throws TidegateError `TOKEN_EXPIRED`, `TOKEN_DELETED`, `TOKEN_INVALID`. */
export async function deleteToken(
  context: Context,
  token: string,
  { chainId, signal }: Pick<TokenOptions, 'chainId' | 'signal'> = {},
): Promise<void> {
  const path = '/api/services/auth/token/invalidate'
  await signed(
    context,
    'invalidateAuthToken',
    (proof) => context.api.post(path, { ...proof, token, chainId }, signal),
    signal,
  )
}
