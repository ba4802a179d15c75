import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxNonce, nonceNumber, parseNonce } from './nonce.js'

const LATEST = 10n ** 39n
const key = (text: string) => parseNonce(text, LATEST).sortKey

describe('nonce', () => {
  it.each(['1', '0.5', '1644315615.24195', '9007199254740993', '000123', '5.0'])('accepts %s', (text) => {
    expect(parseNonce(text, LATEST).text).toBe(text)
  })

  it.each([
    '',
    '0',
    '0.0',
    '-5',
    '+5',
    '1e5',
    ' 5',
    '5 ',
    '0x5',
    'nan',
    'inf',
    '1.',
    '.5',
    '1.2.3',
    '٥',
    '1'.repeat(41),
  ])('rejects %j (threat 12)', (text) => {
    expect(() => parseNonce(text, LATEST)).toThrow()
  })

  it('treats 5, 5.0, 05 and 005.000 as the same number (threat 7)', () => {
    expect(new Set(['5', '5.0', '05', '005.000'].map(key)).size).toBe(1)
  })

  it('distinguishes 2^53 from 2^53+1 (threat 12)', () => {
    expect(key('9007199254740993') > key('9007199254740992')).toBe(true)
  })

  it('is ordered as an exact decimal', () => {
    const decimal = fc.tuple(fc.bigInt(1n, 10n ** 20n), fc.integer({ min: 0, max: 9999 }))
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const text = ([whole, fraction]: [bigint, number]) => `${whole}.${String(fraction).padStart(4, '0')}`
        const value = ([whole, fraction]: [bigint, number]) => whole * 10_000n + BigInt(fraction)
        const order = value(a) < value(b) ? -1 : Number(value(a) > value(b))
        expect(Math.sign(Buffer.compare(Buffer.from(key(text(a))), Buffer.from(key(text(b)))))).toBe(order)
      }),
    )
  })

  it('is formatted from its stored form as the original number', () => {
    expect(['7', '007', '0.50', '1644315615.24195'].map((text) => nonceNumber(key(text)))).toEqual([
      '7',
      '7',
      '0.5',
      '1644315615.24195',
    ])
  })

  it('may be the time in microseconds, up to a day ahead', () => {
    const now = Date.now()
    const latest = maxNonce(now, 86_400)
    expect(() => parseNonce(String(now * 1000), latest)).not.toThrow()
    expect(() => parseNonce(String((now + 86_300_000) * 1000), latest)).not.toThrow()
    expect(() => parseNonce(String(now * 1_000_000), latest)).toThrow('too far in the future')
  })
})
