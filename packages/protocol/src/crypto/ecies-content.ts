import { createDecipheriv, hkdfSync } from 'node:crypto'

/**
 * ECIES over secp256k1 in the default format of the Python package eciespy, so that this and the
 * legacy service can each decrypt what the other encrypted to the same key:
 * ephemeral public key (65) ‖ nonce (16) ‖ tag (16) ‖ ciphertext; AES-256-GCM with the key
 * HKDF-SHA256(ephemeral public key ‖ shared point, both uncompressed; no salt, no info). In bytes.
 *
 * Threads of the sandbox use this module, which is why it has no arithmetic on the curve: a thread that is terminated
 * within the native code for that would abort the whole process.
 */
export const ECIES = { key: 65, nonce: 16, tag: 16 } as const

/** Bytes that encryption adds to the plaintext. */
export const ECIES_OVERHEAD = ECIES.key + ECIES.nonce + ECIES.tag

/** Whether bytes may be a ciphertext, judging by the first 65. */
export function hasForm(data: Uint8Array): boolean {
  return data.length >= ECIES.key && data[0] === 4
}

/** HKDF over (ephemeral public key ‖ shared point). */
export function contentKey(ephemeralPublic: Uint8Array, shared: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeralPublic, shared]), '', '', 32))
}

/**
 * Decrypts a ciphertext with whichever of the points that it may share with a key fits. Throws an Error without detail
 * if none does, or it was modified.
 */
export function decryptContent(shared: Iterable<Uint8Array>, data: Uint8Array): Buffer {
  if (data.length < ECIES_OVERHEAD || !hasForm(data)) throw new Error('not an encrypted document')
  for (const point of shared) {
    try {
      return decryptWith(contentKey(data.subarray(0, ECIES.key), point), data)
    } catch {
      // try the next one
    }
  }
  throw new Error('not encrypted to this key')
}

function decryptWith(key: Uint8Array, data: Uint8Array): Buffer {
  const nonce = data.subarray(ECIES.key, ECIES.key + ECIES.nonce)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: ECIES.tag })
  decipher.setAuthTag(data.subarray(ECIES.key + ECIES.nonce, ECIES_OVERHEAD))
  return Buffer.concat([decipher.update(data.subarray(ECIES_OVERHEAD)), decipher.final()])
}
