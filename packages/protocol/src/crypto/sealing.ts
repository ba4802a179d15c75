import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { type ProviderKey, secretFrom } from './keys.js'

/** Two keys for sealing, derived from a secret for one purpose. */
export interface SealingKeys {
  readonly mac: KeyObject
  readonly cipher: KeyObject
}

/** Bytes of the synthetic IV, which is the authentication tag as well. */
const IV = 16

/** Content is padded to a multiple of so many bytes, so that a seal reveals its length only coarsely. */
const STEP = 32

/** ISO/IEC 7816-4 padding: one such byte, then zeros. Unambiguous, however the content ends. */
const PAD = 0x80

/** Derives the keys for one purpose. They reveal nothing about the provider key. */
export function sealingKeys(key: ProviderKey, purpose: string): SealingKeys {
  return sealingKeysFrom(key.secret, purpose)
}

/** Derives the keys for one purpose from any secret of sufficient entropy. */
export function sealingKeysFrom(secret: Uint8Array, purpose: string): SealingKeys {
  const derived = (use: string) => createSecretKey(secretFrom(secret, `${purpose} ${use}`))
  return { mac: derived('mac'), cipher: derived('cipher') }
}

/**
 * Seals bytes within a context (SIV: the IV is a keyed hash of context and content). It is
 * deterministic, so a seal can serve as an identifier. Without the keys it reveals neither the content nor whether
 * seals of different contexts hold the same content.
 */
export function seal(keys: SealingKeys, context: string, content: Uint8Array): Buffer {
  const padded = Buffer.alloc((Math.floor(content.length / STEP) + 1) * STEP)
  padded.set(content)
  padded[content.length] = PAD
  const iv = syntheticIv(keys, context, padded)
  // CTR is a stream mode: `final` adds nothing
  return Buffer.concat([iv, createCipheriv('aes-256-ctr', keys.cipher, iv).update(padded)])
}

/** Opens a seal made with these keys in this context. Returns undefined for anything else. Never throws. */
export function unseal(keys: SealingKeys, context: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length <= IV || (sealed.length - IV) % STEP !== 0) return undefined
  const iv = sealed.subarray(0, IV)
  const padded = createDecipheriv('aes-256-ctr', keys.cipher, iv).update(sealed.subarray(IV))
  if (!timingSafeEqual(iv, syntheticIv(keys, context, padded))) return undefined
  return padded.subarray(0, padded.lastIndexOf(PAD))
}

function syntheticIv({ mac }: SealingKeys, context: string, padded: Uint8Array): Buffer {
  // the length prefix separates context and content
  const prefix = `${Buffer.byteLength(context)}:${context}`
  return createHmac('sha256', mac).update(prefix).update(padded).digest().subarray(0, IV)
}
