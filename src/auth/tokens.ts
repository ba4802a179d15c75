import { createHmac, randomUUID } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Address, getAddress, isAddress } from 'viem'
import { BOUNDS } from '../bounds.js'
import { derivedSecret, type ProviderKey } from '../crypto/keys.js'
import { type ErrorCode, TokenError } from '../errors.js'
import { legacyTokenId } from '../legacy/records.js'
import type { RevocationStore } from '../state/store.js'

/** Who an auth token stands for, and until when (seconds since 1970). */
export interface TokenClaims {
  address: Address
  /** The one chain that it is good for, where the address is a contract wallet's. */
  chainId?: number
  expiresAt: number
  /** Identity of the token, by which it is revoked. */
  jti: string
}

/** Who a token is issued to. */
export type Holder = Pick<TokenClaims, 'address' | 'chainId'>

interface Payload {
  address: unknown
  chainId?: number
  exp: number
  jti?: string
}

/** Label that keeps the derived secret apart from every other use of the key. */
const SECRET_LABEL = 'tidegate auth token secret v1'

/** The secret that tokens are signed with: the configured one, or one derived from the provider key, never the key itself. */
export function tokenSecret(configured: string | undefined, key: ProviderKey): Uint8Array {
  if (configured !== undefined) return Buffer.from(configured, 'utf8')
  return derivedSecret(key, SECRET_LABEL)
}

const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

/** Issues, checks and revokes auth tokens: JWTs, HS256 alone. */
export class Tokens {
  /** Tokens whose signature holds; whether they were deleted or have ended is asked each time. */
  private readonly known = new LRUCache<string, TokenClaims>({ max: 10_000 })

  /** `legacySecret` is what the legacy service signed its tokens with, where those are still to be good. */
  constructor(
    private readonly secret: Uint8Array,
    private readonly revocations: RevocationStore,
    private readonly legacySecret?: string,
  ) {}

  /** A new token, different from every other one. Times are in seconds since 1970. */
  issue({ address, chainId }: Holder, expiresAt: number, now: number): string {
    const holder = { address, ...(chainId === undefined ? {} : { chainId }) }
    const claims = JSON.stringify({ ...holder, iat: now, exp: expiresAt, jti: randomUUID() })
    const signed = `${HEADER}.${Buffer.from(claims).toString('base64url')}`
    return `${signed}.${createHmac('sha256', this.secret).update(signed).digest('base64url')}`
  }

  /** What a good token says. Throws TokenError for an expired, deleted or invalid one, StateError. */
  async verify(token: string): Promise<TokenClaims> {
    const claims = await this.claims(token)
    if (await this.revocations.isRevoked(claims.jti)) throw refusal('TOKEN_DELETED', 'Token is deleted.')
    return claims
  }

  /** Deletes a token for good. Throws TokenError where another request was faster, StateError. */
  async revoke({ jti, expiresAt }: TokenClaims, now: number): Promise<void> {
    if (!(await this.revocations.revoke(jti, expiresAt))) throw refusal('TOKEN_DELETED', 'Token is deleted.')
    await this.revocations.purge(now - BOUNDS.tokens.rememberedAfterEnd)
  }

  private async claims(token: string): Promise<TokenClaims> {
    const known = this.known.get(token)
    if (known && known.expiresAt > Date.now() / 1000) return known
    try {
      const { address, chainId, exp, jti = legacyTokenId(token) } = await this.payload(token)
      const odd = typeof jti !== 'string' || (chainId !== undefined && !Number.isSafeInteger(chainId))
      if (typeof address === 'string' && isAddress(address, { strict: false }) && !odd) {
        const holder = { address: getAddress(address), ...(chainId === undefined ? {} : { chainId }) }
        const claims = { ...holder, expiresAt: exp, jti }
        this.known.set(token, claims)
        return claims
      }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw refusal('TOKEN_EXPIRED', 'Token is expired.')
    }
    throw refusal('TOKEN_INVALID', 'Token is invalid.')
  }

  /** What a token says that was signed here, or by the legacy service: that one named address and end alone. */
  private async payload(token: string): Promise<Payload> {
    const algorithms = ['HS256']
    try {
      const requiredClaims = ['address', 'exp', 'iat', 'jti']
      return (await jwtVerify<Payload>(token, this.secret, { algorithms, requiredClaims })).payload
    } catch (error) {
      if (this.legacySecret === undefined || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      const secret = Buffer.from(this.legacySecret, 'utf8')
      const { payload } = await jwtVerify<Payload>(token, secret, { algorithms, requiredClaims: ['address', 'exp'] })
      return { address: payload.address, exp: payload.exp }
    }
  }
}

function refusal(code: ErrorCode, message: string): TokenError {
  return new TokenError(code, message)
}
