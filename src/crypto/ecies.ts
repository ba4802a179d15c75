import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import secp256k1 from 'secp256k1'
import type { ProviderKey } from './keys.js'

/**
 * ECIES over secp256k1 in the default format of the Python package eciespy, so that whatever the legacy service
 * encrypted with a key is readable with that key and the other way round:
 * ephemeral public key (65) ‖ nonce (16) ‖ tag (16) ‖ ciphertext; AES-256-GCM with the key
 * HKDF-SHA256(ephemeral public key ‖ shared point, both uncompressed; no salt, no info).
 */
const KEY_BYTES = 65
const NONCE_BYTES = 16
const TAG_BYTES = 16

/** How many bytes the encrypted form is longer than the plain one. */
export const ECIES_OVERHEAD = KEY_BYTES + NONCE_BYTES + TAG_BYTES

/** Encrypts to an uncompressed public key of 65 bytes. */
export function encrypt(publicKey: Uint8Array, plain: Uint8Array): Buffer {
  const ephemeral = freshSecret()
  const ephemeralPublic = secp256k1.publicKeyCreate(ephemeral, false)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sharedKey(ephemeralPublic, publicKey, ephemeral), nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([ephemeralPublic, nonce, cipher.getAuthTag(), body])
}

/** Decrypts what was encrypted to one of these keys. Throws an Error without detail when it was not, or was changed. */
export function decrypt(keys: readonly ProviderKey[], data: Uint8Array): Buffer {
  for (const key of keys.slice(0, -1)) {
    try {
      return decryptWith(key, data)
    } catch {
      // the next one may do
    }
  }
  return decryptWith(keys.at(-1) as ProviderKey, data)
}

function decryptWith(key: ProviderKey, data: Uint8Array): Buffer {
  if (data.length < ECIES_OVERHEAD || data[0] !== 4) throw new Error('not an encrypted document')
  const ephemeralPublic = data.slice(0, KEY_BYTES)
  const nonce = data.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES)
  const tag = data.subarray(KEY_BYTES + NONCE_BYTES, ECIES_OVERHEAD)
  try {
    const decipher = createDecipheriv('aes-256-gcm', sharedKey(ephemeralPublic, ephemeralPublic, key.secret), nonce, {
      authTagLength: TAG_BYTES,
    })
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(data.subarray(ECIES_OVERHEAD)), decipher.final()])
  } catch {
    throw new Error('not encrypted to this key')
  }
}

/** HKDF over (ephemeral public key ‖ secret × point). */
function sharedKey(ephemeralPublic: Uint8Array, point: Uint8Array, secret: Uint8Array): Buffer {
  const uncompressed = (x: Uint8Array, y: Uint8Array) => new Uint8Array(Buffer.concat([Buffer.of(4), x, y]))
  const shared = secp256k1.ecdh(point, secret, { hashfn: uncompressed }, new Uint8Array(KEY_BYTES))
  return Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeralPublic, shared]), '', '', 32))
}

function freshSecret(): Uint8Array {
  for (;;) {
    const secret = new Uint8Array(randomBytes(32))
    if (secp256k1.privateKeyVerify(secret)) return secret
  }
}
