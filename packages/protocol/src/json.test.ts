import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/helpers/measured.js'
import { assertShape, JsonBoundsError, parseJson } from './json.js'

const NONE = Number.POSITIVE_INFINITY

/** The number of values and keys and the depth, computed from the parsed value. */
function shapeOf(value: unknown): { values: number; keys: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, keys: 0, depth: 0 }
  const inner = Object.values(value).map(shapeOf)
  const sum = (name: 'values' | 'keys') => inner.reduce((total, shape) => total + shape[name], 0)
  return {
    values: 1 + Math.max(0, inner.length - 1) + sum('values'),
    keys: (Array.isArray(value) ? 0 : inner.length) + sum('keys'),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  }
}

describe('JSON of bounded shape', () => {
  it('is parsed up to its bounds and rejected beyond them, whatever its strings contain', () => {
    const strings = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', ',', ':', 'é', '\n', 'x', '😀') })
    const value = fc
      .jsonValue({ stringUnit: 'binary' })
      .chain((json) => strings.map((text) => [json, { [text]: text }]))
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (given, space) => {
        const text = JSON.stringify(given, null, space)
        const { values, keys, depth } = shapeOf(given)
        expect(parseJson(text, { values, keys, depth })).toEqual(JSON.parse(text))
        expect(() => parseJson(text, { values: values - 1, keys: NONE, depth: NONE })).toThrow(JsonBoundsError)
        expect(() => parseJson(text, { values: NONE, keys: keys - 1, depth: NONE })).toThrow(JsonBoundsError)
        expect(() => parseJson(text, { values: NONE, keys: NONE, depth: depth - 1 })).toThrow(JsonBoundsError)
      }),
      { numRuns: 300 },
    )
  })

  it('is checked in any text, but text that is not JSON is left to the parser to reject', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'"\\[]{},:x1') }), (text) => {
        expect(() => assertShape(text, { values: NONE, keys: NONE, depth: NONE })).not.toThrow()
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['['.repeat(10e6), 'is nested deeper than 32 levels'],
    [`[${'1,'.repeat(5e6)}1]`, 'holds more than 1000 values'],
    [`"${'\\"'.repeat(5e6)}`, undefined],
    [`{"a":"${'\\\\'.repeat(2e6)}","b":${'"",'.repeat(900)}`, undefined],
    [`{${'"a":1 '.repeat(1e6)}}`, 'holds more than 1000 keys'],
    [' '.repeat(10e6), undefined],
    [`"${'"'.repeat(10e6)}`, undefined],
  ])('of ten megabytes is checked quickly (%#)', (text, problem) => {
    const begun = clock()
    let said: string | undefined
    try {
      assertShape(text, { values: 1000, keys: 1000, depth: 32 })
    } catch (error) {
      said = (error as Error).message
    }
    expect(said).toBe(problem)
    expect(clock() - begun).toBeLessThan(3000)
  })
})
