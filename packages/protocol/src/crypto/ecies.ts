import { createCipheriv, randomBytes } from 'node:crypto'
import secp256k1 from 'secp256k1'
import { contentKey, decryptContent, ECIES, hasForm } from './ecies-content.js'
import type { ProviderKey } from './keys.js'

/** Encrypts bytes to an uncompressed public key of 65 bytes, in the format of `ecies-content.ts`. */
export function encrypt(publicKey: Uint8Array, plain: Uint8Array): Buffer {
  const ephemeral = ephemeralSecret()
  const ephemeralPublic = secp256k1.publicKeyCreate(ephemeral, false)
  const nonce = randomBytes(ECIES.nonce)
  const cipher = createCipheriv('aes-256-gcm', contentKey(ephemeralPublic, sharedPoint(publicKey, ephemeral)), nonce)
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([ephemeralPublic, nonce, cipher.getAuthTag(), body])
}

/** Decrypts a ciphertext with the first key that fits. Throws an Error without details if none does, also for modified bytes. */
export function decrypt(keys: readonly ProviderKey[], data: Uint8Array): Buffer {
  return decryptContent(sharedPoints(keys, data), data)
}

/**
 * Yields the shared point of a ciphertext with each key, lazily, in 0.05 ms each. Needs only the first 65 bytes; yields
 * nothing if they are no public key. A shared point decrypts only this ciphertext, and reveals nothing about the
 * provider key.
 */
export function* sharedPoints(keys: readonly ProviderKey[], data: Uint8Array): Generator<Uint8Array> {
  if (!hasForm(data)) return
  const ephemeralPublic = data.slice(0, ECIES.key)
  for (const { secret } of keys) {
    try {
      yield sharedPoint(ephemeralPublic, secret)
    } catch {
      return // no point of the curve
    }
  }
}

const uncompressed = (x: Uint8Array, y: Uint8Array) => new Uint8Array(Buffer.concat([Buffer.of(4), x, y]))

function sharedPoint(point: Uint8Array, secret: Uint8Array): Uint8Array {
  return secp256k1.ecdh(point, secret, { hashfn: uncompressed }, new Uint8Array(ECIES.key))
}

function ephemeralSecret(): Uint8Array {
  for (;;) {
    const secret = new Uint8Array(randomBytes(32))
    if (secp256k1.privateKeyVerify(secret)) return secret
  }
}
