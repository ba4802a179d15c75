import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { derivedSecret, type ProviderKey } from './keys.js'

/** Two keys for sealing, derived from a provider key for one purpose. */
export interface SealingKeys {
  readonly mac: KeyObject
  readonly cipher: KeyObject
}

/** Bytes of the synthetic IV, which is the authentication tag as well. */
const IV = 16

/** What is sealed is padded to a multiple of so many bytes: its length is told in coarse steps alone. */
const STEP = 32

/** ISO/IEC 7816-4: one such byte, then zeros. Unambiguous whatever the content ends with. */
const PAD = 0x80

/** The keys of one purpose. They tell nothing of the provider key. */
export function sealingKeys(key: ProviderKey, purpose: string): SealingKeys {
  const derived = (use: string) => createSecretKey(derivedSecret(key, `${purpose} ${use}`))
  return { mac: derived('mac'), cipher: derived('cipher') }
}

/**
 * Seals bytes within a context (SIV: the IV is a keyed hash of context and content). The same bytes give the same
 * seal, so it serves as an identity; without the keys it tells neither the content nor, in another context, whether
 * the content is the same.
 */
export function seal(keys: SealingKeys, context: string, content: Uint8Array): Buffer {
  const padded = Buffer.alloc((Math.floor(content.length / STEP) + 1) * STEP)
  padded.set(content)
  padded[content.length] = PAD
  const iv = syntheticIv(keys, context, padded)
  // counter mode gives everything at once: `final` adds nothing
  return Buffer.concat([iv, createCipheriv('aes-256-ctr', keys.cipher, iv).update(padded)])
}

/** What was sealed with these keys in this context; undefined for anything else. Never throws. */
export function unseal(keys: SealingKeys, context: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length <= IV || (sealed.length - IV) % STEP !== 0) return undefined
  const iv = sealed.subarray(0, IV)
  const padded = createDecipheriv('aes-256-ctr', keys.cipher, iv).update(sealed.subarray(IV))
  if (!timingSafeEqual(iv, syntheticIv(keys, context, padded))) return undefined
  return padded.subarray(0, padded.lastIndexOf(PAD))
}

function syntheticIv({ mac }: SealingKeys, context: string, padded: Uint8Array): Buffer {
  // the length of the context keeps it apart from the content
  const start = `${Buffer.byteLength(context)}:${context}`
  return createHmac('sha256', mac).update(start).update(padded).digest().subarray(0, IV)
}
