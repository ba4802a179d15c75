import { createHmac, randomUUID } from 'node:crypto'
import { checksummed, type ErrorCode, isAddressText, TokenError, upTo } from '@tidegate/protocol'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'
import { errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { legacyTokenId } from './legacy-token.js'
import type { RevocationStore } from './revocation-table.js'

/** The claims of an auth token; `expiresAt` in seconds since 1970. */
export interface TokenClaims {
  address: Address
  /** The only chain on which the token is valid, if the address is a contract wallet's. */
  chainId?: number
  expiresAt: number
  /** Id of the token, by which it is revoked. */
  jti: string
}

/** The holder that a token is issued to. */
export type TokenHolder = Pick<TokenClaims, 'address' | 'chainId'>

interface Payload {
  address: unknown
  chainId?: number
  exp: number
  jti?: string
}

/** Domain separation: keeps the derived secret distinct from every other use of the key. */
const SECRET_LABEL = 'tidegate auth token secret v1'

/** Returns the secret that signs tokens: the configured one, or one derived from the provider key, never the key itself. */
export function tokenSecret(configured: string | undefined, key: ProviderKey): Uint8Array {
  if (configured !== undefined) return Buffer.from(configured, 'utf8')
  return derivedSecret(key, SECRET_LABEL)
}

const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

/** Issues, verifies and revokes auth tokens: JWTs, HS256 alone. */
export class Tokens {
  /** Claims of tokens with a valid signature; expiry and revocation are checked each time. */
  private readonly verified = new LRUCache<string, TokenClaims>(upTo(10_000))

  /** `legacySecret` is the legacy service's signing secret, if its tokens must remain valid. */
  constructor(
    private readonly secret: Uint8Array,
    private readonly revocations: RevocationStore,
    private readonly legacySecret?: string,
  ) {}

  /** Issues a unique token. Times are in seconds since 1970. */
  issue({ address, chainId }: TokenHolder, expiresAt: number, now: number): string {
    const holder = { address, ...(chainId === undefined ? {} : { chainId }) }
    const claims = JSON.stringify({ ...holder, iat: now, exp: expiresAt, jti: randomUUID() })
    const signed = `${HEADER}.${Buffer.from(claims).toString('base64url')}`
    return `${signed}.${createHmac('sha256', this.secret).update(signed).digest('base64url')}`
  }

  /** Returns the claims of a valid token. Throws TokenError for an expired, deleted or invalid one, StateError. */
  async verify(token: string): Promise<TokenClaims> {
    const claims = await this.claims(token)
    if (await this.revocations.isRevoked(claims.jti)) throw refusal('TOKEN_DELETED', 'Token is deleted.')
    return claims
  }

  /** Revokes a token permanently; `now` in seconds since 1970. Throws TokenError if it already was, StateError. */
  async revoke({ jti, expiresAt }: TokenClaims, now: number): Promise<void> {
    if (!(await this.revocations.revoke(jti, expiresAt))) throw refusal('TOKEN_DELETED', 'Token is deleted.')
    await this.revocations.purge(now - PROVIDER_LIMITS.tokens.retainedAfterExpiry)
  }

  private async claims(token: string): Promise<TokenClaims> {
    const cached = this.verified.get(token)
    if (cached && cached.expiresAt > Date.now() / 1000) return cached
    try {
      const { address, chainId, exp, jti = legacyTokenId(token) } = await this.payload(token)
      const isValid = typeof jti === 'string' && (chainId === undefined || Number.isSafeInteger(chainId))
      if (isAddressText(address) && isValid) {
        const holder = { address: checksummed(address), ...(chainId === undefined ? {} : { chainId }) }
        const claims = { ...holder, expiresAt: exp, jti }
        this.verified.set(token, claims)
        return claims
      }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw refusal('TOKEN_EXPIRED', 'Token is expired.')
    }
    throw refusal('TOKEN_INVALID', 'Token is invalid.')
  }

  /** The payload of a token signed here or by the legacy service, whose tokens carry address and expiry alone. */
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
