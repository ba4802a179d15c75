import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { type ProviderKey, secretFrom } from './keys.js'

/** Two derived keys for sealing. */
export interface SealingKeys {
  readonly mac: KeyObject
  readonly cipher: KeyObject
}

/** Bytes of the synthetic IV, which is also the authentication tag. */
const IV = 16

/** Padded length is a multiple of so many bytes, so that a seal reveals its length only roughly. */
const STEP = 32

/** First byte of ISO/IEC 7816-4 padding; zeros follow. Unambiguous for any content. */
const PAD = 0x80

/** Derives the sealing keys of one purpose. They reveal nothing about the provider key. */
export function sealingKeys(key: ProviderKey, purpose: string): SealingKeys {
  return sealingKeysFrom(key.secret, purpose)
}

/** Derives the sealing keys of one purpose from a secret of sufficient entropy. */
export function sealingKeysFrom(secret: Uint8Array, purpose: string): SealingKeys {
  const derived = (use: string) => createSecretKey(secretFrom(secret, `${purpose} ${use}`))
  return { mac: derived('mac'), cipher: derived('cipher') }
}

/**
 * Seals bytes in a context (SIV: the IV is a keyed hash of context and content). Deterministic, so a seal can be an
 * identifier. Without the keys it reveals neither its content nor whether seals of different contexts are equal inside.
 */
export function seal(keys: SealingKeys, context: string, content: Uint8Array): Buffer {
  const padded = Buffer.alloc((Math.floor(content.length / STEP) + 1) * STEP)
  padded.set(content)
  padded[content.length] = PAD
  const iv = syntheticIv(keys, context, padded)
  // CTR is a stream mode: `final` returns no bytes
  return Buffer.concat([iv, createCipheriv('aes-256-ctr', keys.cipher, iv).update(padded)])
}

/** Opens a seal of these keys and this context. Returns undefined for all other bytes. Never throws. */
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
