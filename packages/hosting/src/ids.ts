import { createHmac, randomBytes } from 'node:crypto'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'

/** Domain separation: keeps this secret apart from every other use of the provider key. */
const PURPOSE = 'tidegate upload id v1'

/** The fields that make two requests the same creation. */
export interface Creation {
  owner: string
  /** The client's Idempotency-Key. */
  key: string
  /** Upload-Length and Upload-Metadata as sent. */
  length: string
  metadata: string
}

/** Generates ids of hosted files: 32 unguessable bytes in base64url. */
export class UploadIds {
  private readonly secret: Uint8Array

  constructor(key: ProviderKey) {
    this.secret = derivedSecret(key, PURPOSE)
  }

  /** Returns a random id, or the id of a creation: a client that repeats the request after a lost response finds the upload. */
  next(creation?: Creation): string {
    if (!creation) return randomBytes(32).toString('base64url')
    const { owner, key, length, metadata } = creation
    return createHmac('sha256', this.secret)
      .update(JSON.stringify([owner, key, length, metadata]))
      .digest('base64url')
  }
}
