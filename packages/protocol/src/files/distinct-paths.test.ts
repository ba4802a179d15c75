import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/helpers/measured.js'
import { DistinctPaths } from './distinct-paths.js'

describe('distinct paths', () => {
  it('put the number of a file in front, and count on if that is taken', () => {
    const paths = new DistinctPaths()
    const given = ['a/x', 'a/x', 'a/x', 'a/7-x', 'a/x'].map((name) => paths.pathOf(7, name))
    expect(given).toEqual(['a/x', 'a/7-x', '7-a/x', 'a/7-7-x', '7-1-a/x'])
  })

  it.each([
    ['one name and one number', (_: number) => [0, 'a'] as const],
    [
      'names that others would get',
      (at: number) => [at % 2 ? at : 1, at % 2 ? 'a' : `${'1-'.repeat(at / 2)}a`.slice(-900)] as const,
    ],
    ['deep names', (at: number) => [at, `${'d/'.repeat(31)}x`] as const],
    ['a file in the place of each folder', (at: number) => [0, at % 2 ? 'a/b' : 'a'] as const],
  ])('cost no more if strangers choose %s (threat 120)', (_, wanted) => {
    const begun = clock()
    const paths = new DistinctPaths()
    const given = Array.from({ length: 10_000 }, (_, at) => paths.pathOf(...wanted(at)))
    expect(clock() - begun).toBeLessThan(3_000)
    expect(new Set(given).size).toBe(given.length)
  })
})
