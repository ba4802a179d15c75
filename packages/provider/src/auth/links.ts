import { LinkError } from '@tidegate/protocol'
import { type SealingKeys, seal, sealingKeysFrom, unseal } from '@tidegate/protocol/keys'
import { PROVIDER_LIMITS } from '../limits.js'
import { decodeGrant, encodeGrant, type Grant } from './link-grant.js'
import type { RevocationStore } from './revocation-table.js'

/** Domain separation: keeps these keys apart from every other use of the secret. */
const PURPOSE = 'tidegate download link v1'

/**
 * Makes and opens sealed grants of download links. A grant is opaque and cannot be forged without the secret, which is
 * that of auth tokens: every instance opens it, and a new secret ends links and tokens together.
 */
export class Links {
  private readonly keys: SealingKeys

  constructor(
    secret: Uint8Array,
    private readonly revocations: RevocationStore,
  ) {
    this.keys = sealingKeysFrom(secret, PURPOSE)
  }

  /** Seals a grant as URL text of at most `PROVIDER_LIMITS.links.grant` characters. */
  seal(grant: Grant): string {
    return seal(this.keys, '', encodeGrant(grant)).toString('base64url')
  }

  /**
   * Opens a sealed grant; `now` in seconds since 1970. Throws LinkError if it is forged or expired, if its token is deleted,
   * or if its consumer was forgotten. Throws StateError.
   */
  async open(text: string, now: number): Promise<Grant> {
    const grant = this.unsealed(text)
    if (!grant) throw new LinkError('LINK_INVALID', 'The download link is not valid: it is incomplete or was changed.')
    if (grant.expiresAt <= now) throw new LinkError('LINK_EXPIRED', 'The download link has expired.')
    const { jti, consumer: address, issuedAt: at } = grant
    if (await this.revocations.isRevoked(jti, { address, at }))
      throw new LinkError(
        'LINK_REVOKED',
        'The download link was ended: its token is deleted, or its account was forgotten.',
      )
    return grant
  }

  private unsealed(text: string): Grant | undefined {
    if (text.length > PROVIDER_LIMITS.links.grant) return undefined
    const sealed = Buffer.from(text, 'base64url')
    // only the canonical encoding: unused bits of the last character could differ
    if (sealed.toString('base64url') !== text) return undefined
    const encoded = unseal(this.keys, '', sealed)
    return encoded && decodeGrant(encoded)
  }
}

/** Returns the time in seconds since 1970. */
export function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}
