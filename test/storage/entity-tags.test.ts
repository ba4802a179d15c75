import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BOUNDS } from '../../src/bounds.js'
import { entityTags, isEntityTag, isNamed } from '../../src/storage/entity-tags.js'

describe('entity tags', () => {
  it.each([
    ['"v1"', ['"v1"']],
    ['W/"v1"', ['W/"v1"']],
    ['""', ['""']],
    [' "a" ,W/"b",\t"c,d" , ,"é" ', ['"a"', 'W/"b"', '"c,d"', '"é"']],
    ['', []],
    ['*', []],
    ['v1', []],
    ['"a" "b"', []],
    ['"a", b', []],
    ['"a", "b', []],
    ['w/"a"', []],
    ['"a b"', []],
    ['"a\x7f"', []],
  ])('reads %j', (list, tags) => {
    expect(entityTags(list)).toEqual(tags)
  })

  it('reads no more of a list than is bounded, in no time', () => {
    const { condition, conditionTags, etag } = BOUNDS.headers
    expect(entityTags(Array(conditionTags).fill('"a"').join())).toHaveLength(conditionTags)
    expect(
      entityTags(
        Array(conditionTags + 1)
          .fill('"a"')
          .join(),
      ),
    ).toEqual([])
    expect(entityTags(`"a"${' '.repeat(condition)}`)).toEqual([])
    expect([isEntityTag(`"${'a'.repeat(etag - 2)}"`), isEntityTag(`"${'a'.repeat(etag - 1)}"`)]).toEqual([true, false])
    const began = performance.now()
    for (const part of ['"', '" ', ', ', '\t', 'W/', '"a",', '"a" ']) {
      const list = part.repeat(condition / part.length)
      entityTags(`${list.slice(1)}x`)
      isNamed(list, '"a"')
    }
    // a reader that goes back takes seconds for one of these
    expect(performance.now() - began).toBeLessThan(500)
  })

  it('reads what it is given, never throws, and finds each tag in any list of a few', () => {
    const tag = fc
      .tuple(fc.boolean(), fc.stringMatching(/^[\x21\x23-\x7e\x80-\xff]{0,40}$/))
      .map(([weak, text]) => `${weak ? 'W/' : ''}"${text}"`)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (list) => Array.isArray(entityTags(list))))
    fc.assert(
      fc.property(
        fc.array(tag, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(',', ', ', ' , ,'),
        (tags, between) => {
          const list = tags.join(between)
          expect(entityTags(list)).toEqual(tags)
          for (const one of tags) expect(isNamed(list, one)).toBe(true)
        },
      ),
    )
  })

  it('compares weakly', () => {
    expect(isNamed('W/"a"', '"a"')).toBe(true)
    expect(isNamed('"b", "a"', 'W/"a"')).toBe(true)
    expect(isNamed(' * ', '"a"')).toBe(true)
    for (const list of [undefined, '', '"A"', 'a', '"a', '*, "a"', '"b"']) expect(isNamed(list, '"a"')).toBe(false)
  })
})
