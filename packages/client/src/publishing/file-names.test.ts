import { describe, expect, it } from 'vitest'
import { assertFileNames } from './file-names.js'

describe('names of files', () => {
  it.each([
    [['a/x.csv', 'b/x.csv', undefined, undefined, '.hidden', 'Höhe 潮.csv', 'a.csv']],
    [['a', 'ab', 'a-/b']],
  ])('%j stand together', (names) => {
    expect(() => assertFileNames(names)).not.toThrow()
  })

  it.each([
    [['a', 'a'], 'a: two files'],
    [['a/x', 'A/X'], 'a/x and A/X: two files'],
    [['e\u0301', 'é'], 'two files'],
    [['a', 'A/b'], 'a and A/b: two files'],
    [['x', '../x'], '../x: the name of a file must not contain empty parts, . or ..'],
    [['/etc/passwd'], 'must be a relative path'],
    [['C:\\x'], 'must separate folders by /'],
    [['a\u0007b'], 'a b: the name of a file must not contain control characters'],
    [['x'.repeat(256)], 'must have parts of at most 255 bytes'],
    [[`${'d/'.repeat(40)}x`], 'must not have more than 32 parts'],
    [[7], 'must be a text'],
  ])('%j are refused', (names, message) => {
    expect(() => assertFileNames(names)).toThrow(message)
  })

  it('are at most 10,000, and fit into a document', () => {
    const names = Array.from({ length: 10_001 }, (_, at) => `${at}`)
    expect(() => assertFileNames(names.slice(0, 3_000))).not.toThrow()
    for (const many of [names.slice(1), names.slice(0, 1_500).map((name) => `${name}${'潮'.repeat(40)}`)])
      expect(() => assertFileNames(many)).toThrow('too much for one document')
    expect(() => assertFileNames(names)).toThrow('10,001 files with their names are too much for one document')
  })
})
