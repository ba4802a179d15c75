import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { STORAGE_LIMITS } from '../limits.js'
import { entityTags, isEntityTag, matchesIfNoneMatch } from './entity-tags.js'

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
  ])('are parsed from %j', (list, tags) => {
    expect(entityTags(list)).toEqual(tags)
  })

  it('are parsed from long lists in little time, up to the limits', () => {
    const { condition, conditionTags, etag } = STORAGE_LIMITS.headers
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
    const began = clock()
    for (const part of ['"', '" ', ', ', '\t', 'W/', '"a",', '"a" ']) {
      const list = part.repeat(condition / part.length)
      entityTags(`${list.slice(1)}x`)
      matchesIfNoneMatch(list, '"a"')
    }
    // a parser with backtracking takes seconds for one of these lists
    expect(clock() - began).toBeLessThan(500)
  })

  it('are all found in any short list, and no text makes the parser throw', () => {
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
          for (const one of tags) expect(matchesIfNoneMatch(list, one)).toBe(true)
        },
      ),
    )
  })

  it('are compared weakly', () => {
    expect(matchesIfNoneMatch('W/"a"', '"a"')).toBe(true)
    expect(matchesIfNoneMatch('"b", "a"', 'W/"a"')).toBe(true)
    expect(matchesIfNoneMatch(' * ', '"a"')).toBe(true)
    for (const list of [undefined, '', '"A"', 'a', '"a', '*, "a"', '"b"'])
      expect(matchesIfNoneMatch(list, '"a"')).toBe(false)
  })
})
