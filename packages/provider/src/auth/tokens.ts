import { createHmac, randomUUID } from 'node:crypto'
import { checksummed, type ErrorCode, isAddressText, TokenError, upTo } from '@tidegate/protocol'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'
import { errors, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { legacyTokenId } from './legacy-token.js'
import type { RevocationStore } from './revocation-table.js'

/** The claims of an auth token; times in seconds since 1970. */
export interface TokenClaims {
  address: Address
  /** The only valid chain, if the holder is a contract wallet. */
  chainId?: number
  /** 0 for tokens of the legacy service, which do not say it. */
  issuedAt: number
  expiresAt: number
  /** Id of the token, by which it is revoked. */
  jti: string
}

/** The holder of a token. */
export type TokenHolder = Pick<TokenClaims, 'address' | 'chainId'>

interface Payload {
  address: unknown
  chainId?: number
  exp: number
  iat: number
  jti?: string
}

/** Domain separation: keeps the secret apart from every other use of the provider key. */
const SECRET_LABEL = 'tidegate auth token secret v1'

/** Returns the secret for tokens: the configured one, or one derived from the provider key. */
export function tokenSecret(configured: string | undefined, key: ProviderKey): Uint8Array {
  if (configured !== undefined) return Buffer.from(configured, 'utf8')
  return derivedSecret(key, SECRET_LABEL)
}

const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')

/** Issues, verifies and revokes auth tokens: JWTs with HS256. */
export class Tokens {
  /** Claims of tokens with a valid signature. Expiry and revocation are checked on each use. */
  private readonly verified = new LRUCache<string, TokenClaims>(upTo(PROVIDER_LIMITS.tokens.cached))

  /** `legacySecret`: signing secret of the legacy service, if its tokens stay valid. */
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
    const { jti, address, issuedAt } = claims
    if (await this.revocations.isRevoked(jti, { address, at: issuedAt }))
      throw refusal('TOKEN_DELETED', 'Token is deleted.')
    return claims
  }

  /** Revokes a token; `now` in seconds since 1970. Throws TokenError if it is revoked already. Throws StateError. */
  async revoke({ jti, expiresAt }: TokenClaims, now: number): Promise<void> {
    if (!(await this.revocations.revoke(jti, expiresAt))) throw refusal('TOKEN_DELETED', 'Token is deleted.')
    await this.revocations.purge(now - PROVIDER_LIMITS.tokens.retainedAfterExpiry)
  }

  private async claims(token: string): Promise<TokenClaims> {
    const cached = this.verified.get(token)
    if (cached && cached.expiresAt > Date.now() / 1000) return cached
    try {
      const { address, chainId, exp, iat, jti = legacyTokenId(token) } = await this.payload(token)
      const isValid = typeof jti === 'string' && (chainId === undefined || Number.isSafeInteger(chainId))
      if (isAddressText(address) && isValid) {
        const holder = { address: checksummed(address), ...(chainId === undefined ? {} : { chainId }) }
        const claims = { ...holder, issuedAt: iat, expiresAt: exp, jti }
        this.verified.set(token, claims)
        return claims
      }
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw refusal('TOKEN_EXPIRED', 'Token is expired.')
    }
    throw refusal('TOKEN_INVALID', 'Token is invalid.')
  }

  /** Returns the payload of a token of this service or of the legacy one, whose tokens have only address and expiry. */
  private async payload(token: string): Promise<Payload> {
    const algorithms = ['HS256']
    try {
      const requiredClaims = ['address', 'exp', 'iat', 'jti']
      return (await jwtVerify<Payload>(token, this.secret, { algorithms, requiredClaims })).payload
    } catch (error) {
      if (this.legacySecret === undefined || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      const secret = Buffer.from(this.legacySecret, 'utf8')
      const { payload } = await jwtVerify<Payload>(token, secret, { algorithms, requiredClaims: ['address', 'exp'] })
      return { address: payload.address, exp: payload.exp, iat: 0 }
    }
  }
}

function refusal(code: ErrorCode, message: string): TokenError {
  return new TokenError(code, message)
}
