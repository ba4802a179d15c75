import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decrypt, ECIES_OVERHEAD, encrypt } from '../../src/crypto/ecies.js'
import { providerKey } from '../../src/crypto/keys.js'
import eciespy from '../vectors/eciespy.json' with { type: 'json' }

const key = providerKey(`0x${'11'.repeat(32)}`)
const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex')

describe('ecies', () => {
  it.each(eciespy.vectors)('decrypts what eciespy encrypted ($#)', ({ privateKey, plainText, encrypted }) => {
    expect(decrypt([providerKey(privateKey)], bytes(encrypted)).toString('utf8')).toBe(plainText)
  })

  it('gives back any bytes, and never the same ciphertext twice', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (plain) => {
        const [one, two] = [encrypt(key.publicKey, plain), encrypt(key.publicKey, plain)]
        expect(one.length).toBe(plain.length + ECIES_OVERHEAD)
        expect(one.equals(two)).toBe(false)
        expect(Buffer.compare(decrypt([key], one), plain)).toBe(0)
      }),
    )
  })

  it('refuses every single changed byte', () => {
    const good = encrypt(key.publicKey, Buffer.from('tide'))
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] as number) ^ 1
      expect(() => decrypt([key], bad), `byte ${at}`).toThrow()
    }
  })

  it('refuses what was encrypted to another key, cut short or empty', () => {
    const other = providerKey(`0x${'22'.repeat(32)}`)
    const good = encrypt(other.publicKey, Buffer.from('tide'))
    expect(() => decrypt([key], good)).toThrow('not encrypted to this key')
    expect(() => decrypt([other], good.subarray(0, -1))).toThrow('not encrypted to this key')
    expect(decrypt([key, other], good).toString()).toBe('tide')
    expect(decrypt([other, key], good).toString()).toBe('tide')
    expect(() => decrypt([key, key], good)).toThrow('not encrypted to this key')
    expect(() => decrypt([key], Buffer.alloc(0))).toThrow('not an encrypted document')
  })
})
