import { SECONDS } from '@tidegate/protocol/constants'
import { fieldsOf } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { signInOf } from './sign-in.js'
import { signed, signedIn } from './signing.js'
import type { Token } from './types.js'

const SIGN_IN = { statement: 'Signs in to this provider, to read and upload files. Costs nothing.' }

export interface TokenOptions {
  /** Seconds until the token expires. Default: an hour, or the provider's maximum if that is less. */
  lifetime?: number
  /** Chain of a contract wallet, if the provider serves several. */
  chainId?: number
  signal?: AbortSignal
}

/**
 * Creates an auth token, which replaces the wallet's signatures until it expires or is deleted. The signed text names the
 * provider if the provider accepts such texts. Throws TidegateError `VALIDATION` if the provider grants no such lifetime.
 */
export async function createToken(context: Context, options: TokenOptions = {}): Promise<Token> {
  const { chainId, signal } = options
  const signIn = await signInOf(context)
  const lifetime = options.lifetime ?? Math.min(SECONDS.hour, signIn?.maxLifetime ?? SECONDS.hour)
  const validUntil = Math.floor(Date.now() / 1000) + lifetime
  const create = (proof: object) => context.api.post<unknown>('/api/services/auth/token', proof, signal)
  const answer = signIn
    ? await signedIn(context, signIn, { ...SIGN_IN, path: '', chainId, expires: validUntil }, create, signal)
    : await signed(context, 'createAuthToken', (proof) => create({ ...proof, validUntil, chainId }), signal)
  const { token } = fieldsOf(answer)
  if (typeof token !== 'string' || token === '' || token.length > LIMITS.token)
    throw new TidegateError('BAD_ANSWER', "The provider's response has no token.")
  return { token, expires: new Date(validUntil * 1000) }
}

/**
 * Deletes an auth token of the wallet's account and all links made with it. Throws TidegateError `TOKEN_EXPIRED`,
 * `TOKEN_DELETED`, `TOKEN_INVALID`.
 */
export async function deleteToken(
  context: Context,
  token: string,
  { chainId, signal }: Pick<TokenOptions, 'chainId' | 'signal'> = {},
): Promise<void> {
  const path = '/api/services/auth/token/invalidate'
  const end = (proof: object) => context.api.post(path, { ...proof, token }, signal)
  const signIn = await signInOf(context)
  await (signIn
    ? signedIn(context, signIn, { statement: 'Ends a token of this provider.', path, chainId }, end, signal)
    : signed(context, 'invalidateAuthToken', (proof) => end({ ...proof, chainId }), signal))
}
