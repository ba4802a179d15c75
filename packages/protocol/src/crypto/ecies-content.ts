import { createDecipheriv, hkdfSync } from 'node:crypto'
import { LASTING_REASONS } from '../ddo/indexed.js'

/**
 * ECIES over secp256k1 in the default format of the Python package eciespy, so that this service and the legacy one
 * decrypt each other's files: ephemeral public key (65) ‖ nonce (16) ‖ tag (16) ‖ ciphertext, in bytes. AES-256-GCM with
 * the key HKDF-SHA256(ephemeral public key ‖ shared point, both uncompressed; no salt, no info). Sandbox threads use
 * this module, so it contains no arithmetic on the curve: terminating a thread in that native code would abort the
 * process.
 */
export const ECIES = { key: 65, nonce: 16, tag: 16 } as const

/** Bytes that encryption adds to the plaintext. */
export const ECIES_OVERHEAD = ECIES.key + ECIES.nonce + ECIES.tag

/** Whether bytes may be a ciphertext, by the first 65. */
export function hasForm(data: Uint8Array): boolean {
  return data.length >= ECIES.key && data[0] === 4
}

/** Returns HKDF over (ephemeral public key ‖ shared point). */
export function contentKey(ephemeralPublic: Uint8Array, shared: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeralPublic, shared]), '', '', 32))
}

/**
 * Decrypts a ciphertext with the first shared point that fits. Throws an Error without details if none does, also for
 * modified bytes.
 */
export function decryptContent(shared: Iterable<Uint8Array>, data: Uint8Array): Buffer {
  if (data.length < ECIES_OVERHEAD || !hasForm(data)) throw new Error('not an encrypted document')
  for (const point of shared) {
    try {
      return decryptWith(contentKey(data.subarray(0, ECIES.key), point), data)
    } catch {
      // try the next point
    }
  }
  throw new Error(LASTING_REASONS.foreign)
}

function decryptWith(key: Uint8Array, data: Uint8Array): Buffer {
  const nonce = data.subarray(ECIES.key, ECIES.key + ECIES.nonce)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: ECIES.tag })
  decipher.setAuthTag(data.subarray(ECIES.key + ECIES.nonce, ECIES_OVERHEAD))
  return Buffer.concat([decipher.update(data.subarray(ECIES_OVERHEAD)), decipher.final()])
}
