import { describe, expect, it } from 'vitest'
import { didOf, readDdo } from '../../../protocol/src/ddo/ddo.js'
import { PROTOCOL_LIMITS } from '../../../protocol/src/limits.js'
import { completeUserdata } from './parameters.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'

/** The service of a document with these consumerParameters, as requests see it. */
function declared(consumerParameters: unknown) {
  const service = { id: '1', type: 'access', files: '0x', datatokenAddress: NFT, serviceEndpoint: '', timeout: 0 }
  const services = [{ ...service, consumerParameters }]
  const read = readDdo({ id: didOf(NFT, 1), version: '4.1.0', chainId: 1, nftAddress: NFT, services })
  return 'ddo' in read ? read.ddo.services[0]?.consumerParameters : read.problems
}

describe('consumerParameters', () => {
  it('are bounded when a document is read, and parsed once for all requests (threat 57)', () => {
    const list = (length: number) =>
      Array.from({ length }, (_, at) => ({ name: `p${at}`, type: 'select', options: [{ a: 'A' }, { b: 'B' }] }))
    expect(declared(list(340_000))).toEqual({
      'services.0.consumerParameters': 'must not hold more than 100 entries',
    })
    const largest = declared(list(PROTOCOL_LIMITS.document.consumerParameters))
    completeUserdata(largest, {})
    let looks = 0
    const watched = new Proxy(largest as unknown[], {
      get(target, name) {
        looks += 1
        return Reflect.get(target, name)
      },
    })
    completeUserdata(watched, { p0: 'a' })
    const first = looks
    for (let time = 0; time < 100; time++) expect(completeUserdata(watched, { p0: 'b' })).toEqual({ p0: 'b' })
    // requests check that it is a non-empty list, and read none of its elements again
    expect(looks - first).toBeLessThanOrEqual(200)
  })

  it.each([
    [[{ one: 'One' }, { two: 'Two' }], 'two'],
    ['[{"one":"One"},{"two":{"en":"Two","de":"Zwei"}}]', 'two'],
    [['one', 'two'], 'two'],
  ])('accept exactly the options that the publisher lists (%j)', (options, good) => {
    const parameters = declared([{ name: 'size', type: 'select', options }])
    for (let time = 0; time < 2; time++) {
      expect(completeUserdata(parameters, { size: good })).toEqual({ size: good })
      expect(() => completeUserdata(parameters, { size: 'three' })).toThrow('Validation error')
    }
  })

  it('reject a value without a text form, and accept a default under any name (threat 61)', () => {
    for (const type of ['number', 'select'])
      for (const odd of [{ toString: 1, valueOf: 1 }, [{ toString: 1 }], null, true])
        expect(() => completeUserdata(declared([{ name: 'x', type, options: ['a'] }]), { x: odd })).toThrow(
          'Validation error',
        )
    const complete = completeUserdata(declared([{ name: '__proto__', default: { a: 1 } }]), {}) as object
    expect(Object.getPrototypeOf(complete)).toBe(Object.prototype)
    expect(Object.keys(complete)).toEqual(['__proto__'])
  })

  it('make the document invalid when they have too many options', () => {
    const many = Array.from({ length: 1001 }, (_, at) => String(at))
    for (const options of [many, 'x'.repeat(16_385)])
      expect(declared([{ name: 'size', type: 'select', options }])).toHaveProperty([
        'services.0.consumerParameters.0.options',
      ])
    // options that are not a list admit no value, and cost no time
    const parameters = declared([{ name: 'size', type: 'select', options: '['.repeat(16_000) }])
    expect(() => completeUserdata(parameters, { size: 'a' })).toThrow('Validation error')
  })
})
