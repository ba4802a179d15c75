import { TidegateError } from '../errors.js'

/**
 * Throws TidegateError `DIGEST_MISMATCH` if the bytes have another digest. Passes if the platform cannot compute one: a page
 * without TLS.
 */
export async function assertDigest(blob: Blob, sha256: string): Promise<void> {
  const subtle = globalThis.crypto?.subtle
  if (!subtle) return
  const digest = new Uint8Array(await subtle.digest('SHA-256', await blob.arrayBuffer()))
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (hex !== sha256) throw digestMismatch()
}

export function digestMismatch(): TidegateError {
  return new TidegateError(
    'DIGEST_MISMATCH',
    'The SHA-256 of the downloaded bytes differs from the one that the provider announces.',
  )
}
