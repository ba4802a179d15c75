import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { packed, unpacked, unpackedLength } from './packed.js'

describe('a packed text', () => {
  const texts = {
    empty: '',
    short: '{"a":1}',
    long: JSON.stringify({ text: 'häfen 🌊 '.repeat(10_000) }),
    incompressible: `{"a":"${randomBytes(20_000).toString('base64')}"}`,
  }

  it.each(Object.entries(texts))('is what it was: %s', (_, text) => {
    const stored = packed(text, 100)
    expect(unpacked(stored)).toBe(text)
    expect(unpackedLength(stored)).toBe(text.length)
    expect(stored.length).toBeLessThanOrEqual(text.length)
  })

  it('takes the paid size if it repeats itself at a distance (threat 90)', () => {
    const part = randomBytes(25_000).toString('base64')
    const text = JSON.stringify({ text: part.repeat(20) })
    expect(packed(text, 100).length).toBeLessThan(1.1 * part.length)
  })

  it('of an earlier version is read', () => {
    const stored = `~${texts.long.length}:${deflateRawSync(texts.long).toString('base64')}`
    expect([unpacked(stored), unpackedLength(stored)]).toEqual([texts.long, texts.long.length])
  })

  it('takes a fraction of a text that repeats itself', () => {
    expect(packed(texts.long, 100).length).toBeLessThan(texts.long.length / 100)
    expect(packed(texts.long, 1_000_000)).toBe(texts.long)
  })
})
