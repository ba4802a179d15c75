import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import eciespy from '../../../../test/vectors/eciespy.json' with { type: 'json' }
import { decrypt, encrypt, sharedPoints } from './ecies.js'
import { decryptContent, ECIES_OVERHEAD } from './ecies-content.js'
import { providerKey } from './keys.js'

const key = providerKey(`0x${'11'.repeat(32)}`)
const bytes = (hex: string) => Buffer.from(hex.replace(/^0x/, ''), 'hex')

describe('ecies', () => {
  it.each(eciespy.vectors)('decrypts what eciespy encrypted ($#)', ({ privateKey, plainText, encrypted }) => {
    expect(decrypt([providerKey(privateKey)], bytes(encrypted)).toString('utf8')).toBe(plainText)
  })

  it('round-trips any bytes, with a different ciphertext every time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (plain) => {
        const [one, two] = [encrypt(key.publicKey, plain), encrypt(key.publicKey, plain)]
        expect(one.length).toBe(plain.length + ECIES_OVERHEAD)
        expect(one.equals(two)).toBe(false)
        expect(Buffer.compare(decrypt([key], one), plain)).toBe(0)
      }),
    )
  })

  it('rejects a ciphertext with any byte changed', () => {
    const good = encrypt(key.publicKey, Buffer.from('tide'))
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good)
      bad[at] = (bad[at] as number) ^ 1
      expect(() => decrypt([key], bad), `byte ${at}`).toThrow()
    }
  })

  it('rejects a ciphertext that is encrypted to another key, truncated or empty', () => {
    const other = providerKey(`0x${'22'.repeat(32)}`)
    const good = encrypt(other.publicKey, Buffer.from('tide'))
    expect(() => decrypt([key], good)).toThrow('not encrypted to this key')
    expect(() => decrypt([other], good.subarray(0, -1))).toThrow('not encrypted to this key')
    expect(decrypt([key, other], good).toString()).toBe('tide')
    expect(decrypt([other, key], good).toString()).toBe('tide')
    expect(() => decrypt([key, key], good)).toThrow('not encrypted to this key')
    expect(() => decrypt([key], Buffer.alloc(0))).toThrow('not an encrypted document')
    const nowhere = Buffer.from(good).fill(255, 1, 65)
    expect(() => decrypt([key, other], nowhere)).toThrow('not encrypted to this key')
  })

  it('gives the shared points of one ciphertext, of its first 65 bytes, in the order of those that it may be encrypted to', () => {
    const other = providerKey(`0x${'22'.repeat(32)}`)
    const good = encrypt(other.publicKey, Buffer.from('tide'))
    const [first, second, ...more] = sharedPoints([key, other], good.subarray(0, 65))
    expect(more).toEqual([])
    expect(decryptContent([second as Uint8Array], good).toString()).toBe('tide')
    expect(decryptContent([first as Uint8Array, second as Uint8Array], good).toString()).toBe('tide')
    expect(() => decryptContent([first as Uint8Array], good)).toThrow('not encrypted to this key')
    const another = encrypt(other.publicKey, Buffer.from('tide'))
    expect(() => decryptContent([second as Uint8Array], another)).toThrow('not encrypted to this key')
    for (const head of [good.subarray(0, 64), Buffer.alloc(65), Buffer.alloc(65, 255).fill(4, 0, 1)])
      expect([...sharedPoints([key, other], head)]).toEqual([])
  })
})
