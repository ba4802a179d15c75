import { createHmac, randomBytes } from 'node:crypto'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'

/** Domain separation: keeps this secret apart from every other use of the provider key. */
const PURPOSE = 'tidegate upload id v1'

/** What makes two requests the same creation. */
export interface Creation {
  owner: string
  /** The Idempotency-Key that the client has chosen. */
  key: string
  /** Upload-Length and Upload-Metadata, as they were sent. */
  length: string
  metadata: string
}

/** Ids of hosted files: 32 bytes as base64url, which nobody can guess. */
export class UploadIds {
  private readonly secret: Uint8Array

  constructor(key: ProviderKey) {
    this.secret = derivedSecret(key, PURPOSE)
  }

  /**
   * A new id. With a creation always the same one, so that a creation that is repeated, since its response was lost,
   * finds the upload. The secret keeps others from computing it.
   */
  next(creation?: Creation): string {
    if (!creation) return randomBytes(32).toString('base64url')
    const { owner, key, length, metadata } = creation
    return createHmac('sha256', this.secret)
      .update(JSON.stringify([owner, key, length, metadata]))
      .digest('base64url')
  }
}
