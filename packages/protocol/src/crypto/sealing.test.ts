import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { providerKey } from './keys.js'
import { seal, sealingKeys, unseal } from './sealing.js'

const keys = sealingKeys(providerKey('11'.repeat(32)), 'test')
const bytes = fc.uint8Array({ maxLength: 600 })

describe('sealing (threat 40)', () => {
  it('is deterministic, and round-trips any bytes in the same context', () => {
    fc.assert(
      fc.property(bytes, fc.string(), (content, context) => {
        const sealed = seal(keys, context, content)
        expect(unseal(keys, context, sealed)?.equals(content)).toBe(true)
        expect(seal(keys, context, content).equals(sealed)).toBe(true)
      }),
    )
  })

  it('rejects a seal with any bit changed, or truncated, extended or forged', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }), (content, at, more) => {
        const sealed = seal(keys, 'file', content)
        const changed = Buffer.from(sealed)
        const bit = at % (sealed.length * 8)
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
        expect(unseal(keys, 'file', changed)).toBeUndefined()
        expect(unseal(keys, 'file', sealed.subarray(0, at % sealed.length))).toBeUndefined()
        expect(unseal(keys, 'file', Buffer.concat([sealed, more]))).toBeUndefined()
        expect(unseal(keys, 'file', content)).toBeUndefined()
      }),
    )
  })

  it('yields unrelated seals for another context, key or purpose', () => {
    const others = [
      sealingKeys(providerKey('22'.repeat(32)), 'test'),
      sealingKeys(providerKey('11'.repeat(32)), 'other'),
    ]
    fc.assert(
      fc.property(bytes, fc.string(), fc.string(), (content, one, two) => {
        const sealed = seal(keys, one, content)
        if (one !== two) expect(unseal(keys, two, sealed)).toBeUndefined()
        // moving a byte from the context into the content makes a different seal
        expect(unseal(keys, one + two, seal(keys, one, Buffer.concat([Buffer.from(two), content])))).toEqual(
          two === '' ? Buffer.from(content) : undefined,
        )
        for (const other of others) {
          expect(unseal(other, one, sealed)).toBeUndefined()
          expect(seal(other, one, content).equals(sealed)).toBe(false)
        }
      }),
    )
  })

  it('reveals the length only in steps of 32 bytes', () => {
    const lengths = Array.from({ length: 65 }, (_, length) => seal(keys, '', Buffer.alloc(length)).length)
    expect(new Set(lengths)).toEqual(new Set([48, 80, 112]))
    expect([lengths[31], lengths[32], lengths[63], lengths[64]]).toEqual([48, 80, 80, 112])
  })

  it('derives two keys of its own, different from the provider key', () => {
    const [mac, cipher] = [keys.mac.export(), keys.cipher.export()]
    expect([mac.length, cipher.length, mac.equals(cipher)]).toEqual([32, 32, false])
    for (const derived of [mac, cipher]) expect(derived.toString('hex')).not.toBe('11'.repeat(32))
  })
})
