import { hkdfSync } from 'node:crypto'
import secp256k1 from 'secp256k1'
import type { Address, Hex, LocalAccount } from 'viem'
import { checksummed } from './address.js'
import { keccak } from './keccak.js'

/** A signing and decryption key of a provider, with its public parts. */
export interface ProviderKey {
  /** 32 bytes. Never leaves crypto/. */
  readonly secret: Uint8Array
  /** 65 bytes, uncompressed (0x04 ‖ x ‖ y). */
  readonly publicKey: Uint8Array
  readonly address: Address
}

export interface Signature {
  r: Hex
  s: Hex
  v: 27 | 28
}

/** Half the order of secp256k1. A signature with a greater s is a malleable twin, and refused (EIP-2). */
const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/** Parses a private key: 32 bytes as hex. Throws an Error that does not quote the key. */
export function providerKey(hex: string): ProviderKey {
  const digits = hex.trim().replace(/^0x/i, '')
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new Error('must be 32 bytes of hex (64 digits, with or without 0x)')
  const secret = new Uint8Array(Buffer.from(digits, 'hex'))
  if (!secp256k1.privateKeyVerify(secret)) throw new Error('is not a valid secp256k1 private key')
  const publicKey = secp256k1.publicKeyCreate(secret, false)
  return { secret, publicKey, address: checksummed(hexOf(addressOf(publicKey))) }
}

/** Returns the compressed public key: 33 bytes. */
export function compressedPublicKey({ publicKey }: Pick<ProviderKey, 'publicKey'>): Uint8Array {
  return secp256k1.publicKeyConvert(publicKey, true)
}

/** Derives a secret of 32 bytes for one purpose (HKDF). It reveals neither the key nor the secrets of other purposes. */
export function derivedSecret(key: ProviderKey, purpose: string): Uint8Array {
  return secretFrom(key.secret, purpose)
}

/** Derives a secret of 32 bytes for one purpose from another secret (HKDF). */
export function secretFrom(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))
}

/** Returns the account that signs transactions with this key. Loads its part of the chain library on demand. */
export async function transactionAccount(key: ProviderKey): Promise<LocalAccount> {
  const { privateKeyToAccount } = await import('viem/accounts')
  return privateKeyToAccount(hexOf(key.secret))
}

/** Returns the digest of `personal_sign` for these bytes (EIP-191, version 0x45). */
export function personalDigest(bytes: Uint8Array): Uint8Array {
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`)
  return keccak(Buffer.concat([prefix, bytes]))
}

/** Signs a 32-byte digest, without hashing it again. */
export function signDigest(digest: Uint8Array, key: ProviderKey): Signature {
  const { signature, recid } = secp256k1.ecdsaSign(digest, key.secret)
  return {
    r: hexOf(signature.subarray(0, 32)),
    s: hexOf(signature.subarray(32, 64)),
    v: recid === 0 ? 27 : 28,
  }
}

/** Recovers the address that signed a 32-byte digest; undefined for an invalid signature. Never throws. */
export function recoverAddress(digest: Uint8Array, signature: Uint8Array): Address | undefined {
  const signer = recoverSigner(digest, signature)
  return signer && checksummed(hexOf(signer))
}

/**
 * Recovers the 20 bytes of the address that signed a 32-byte digest, from a signature of 65 bytes (r ‖ s ‖ v, v in 0, 1,
 * 27, 28). Returns undefined for an invalid signature. Never throws.
 */
export function recoverSigner(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  if (signature.length !== 65) return undefined
  const v = signature[64] as number
  const recid = v >= 27 ? v - 27 : v
  if (recid !== 0 && recid !== 1) return undefined
  if (HALF_ORDER.compare(signature, 32, 64) < 0) return undefined
  try {
    return addressOf(secp256k1.ecdsaRecover(signature.slice(0, 64), recid, digest, false))
  } catch {
    return undefined // r or s is out of range, or no such point exists
  }
}

/** Returns the address of an uncompressed public key: the last 20 bytes of the hash of its coordinates. */
function addressOf(publicKey: Uint8Array): Uint8Array {
  return keccak(publicKey.subarray(1)).subarray(12)
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
