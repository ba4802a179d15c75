import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { conditionsFor, ownTag, sealedTag } from '../../src/http/files/validators.js'

describe('sealed entity tags (threat 40)', () => {
  const file = { keys: [providerKey('11'.repeat(32))], did: 'did:op:1', serviceId: 'a', fileIndex: 0 }
  const tag = fc
    .tuple(fc.boolean(), fc.stringMatching(/^[\x21\x23-\x7e\x80-\xff]{0,500}$/))
    .map(([weak, text]) => `${weak ? 'W/' : ''}"${text}"`)

  it('round-trip any tag, in one notation only', () => {
    fc.assert(
      fc.property(tag, fc.nat(), (own, at) => {
        const sealed = sealedTag(own, file) as string
        expect(sealed).toMatch(own.startsWith('W/') ? /^W\/"[\w-]{64,747}"$/ : /^"[\w-]{64,747}"$/)
        expect(ownTag(sealed, file)).toBe(own)
        // any other character anywhere, even the last one, whose low bits are unused
        const place = sealed.indexOf('"') + 1 + (at % (sealed.replace(/^W\//, '').length - 2))
        for (const other of 'ABCDQRab01-_=+')
          if (sealed[place] !== other)
            expect(ownTag(sealed.slice(0, place) + other + sealed.slice(place + 1), file)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('never throw for any header', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('*', '"', 'W/"', '"a","b"', ', ,'), tag)
    fc.assert(
      fc.property(
        fc.record({ range: text, 'if-range': text, 'if-none-match': text }, { requiredKeys: [] }),
        (headers) => {
          const passed = conditionsFor(file, headers)
          expect(passed['if-range']).toBeUndefined()
          expect([undefined, '*']).toContain(passed['if-none-match'])
          expect(passed.range).toBe(headers['if-range'] === undefined ? headers.range : undefined)
        },
      ),
    )
  })
})
