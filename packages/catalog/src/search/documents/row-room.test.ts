import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CATALOG_LIMITS } from '../../limits.js'
import { textColumns, valueRows } from '../tables/rows.js'
import { leavesOf, type Searchable } from './document.js'

const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const letters = (...codes: number[]) => String.fromCodePoint(...codes)
const tagged = (tags: string[]) => ({ name: 'tide', tags })
const told = (description: string) => ({ name: 'tide', description })

/** Different texts that compress well. */
const short = (at: number) => at.toString(36)
const cyrillic = (at: number) => letters(0x430 + (at % 32), 0x430 + (at >> 5))

/** Documents that are small on the chain, but have many distinct words and values. */
const contrived: Record<string, object> = {
  'short values': tagged(many(950, short)),
  'short values with numbers': { name: 'tide', links: Object.fromEntries(many(950, (at) => [`key${at}`, at])) },
  'short values in another script': tagged(many(900, cyrillic)),
  'long words in another script': told(many(2000, (at) => 'ж'.repeat(126) + cyrillic(at)).join(' ')),
  'values that are long words in another script': tagged(many(900, (at) => 'ж'.repeat(126) + cyrillic(at))),
  'letters with many marks': told(
    many(4000, (at) => letters(0xe01 + (at % 40), 0xe31, 0xe34 + ((at >> 3) % 6), 0xe47 + ((at >> 5) % 7))).join(''),
  ),
  'texts of a few words': tagged(many(90, (row) => many(40, (at) => short(40 * row + at)).join(' '))),
  times: told(many(2600, (at) => new Date(1e12 + at).toISOString()).join(' ')),
  'long times': tagged(many(900, (at) => `${new Date(1e12 + at).toISOString().slice(0, -1)}456789+02:00`)),
  'words of a letter with a longer code': tagged(many(900, (at) => 'z'.repeat(120) + short(at))),
  ideographs: told(many(4000, (at) => letters(0x4e00 + ((at * 7919) % 20_000))).join('')),
}

/** Numbers with the frequencies of words in real texts. */
let seed = 1
const natural = (count: number) => {
  seed = (seed * 48_271) % 2_147_483_647
  return Math.floor(count ** (seed / 2_147_483_647))
}
const word = () => `word${natural(20_000)}`
const words = (count: number) => many(count, word).join(' ')
const parameter = () => ({ name: word(), type: 'text', label: words(3), description: words(5) })
/** Metadata with the number of its words. */
const honest: Record<string, [metadata: object, words: number]> = {
  'an article of 3,000 words': [told(words(3000)), 3001],
  'forty tags': [tagged(many(40, (at) => `tag${at}`)), 41],
  'sixty services with parameters': [
    {
      name: 'tide',
      services: many(60, (at) => ({
        name: `service${at}`,
        description: words(30),
        parameters: many(2, (of) => ({ ...parameter(), name: `name${2 * at + of}`, type: 'text' })),
      })),
    },
    1 + 60 * 31 + 120 * 9 + 1,
  ],
  'a page of Chinese': [told(many(1200, () => letters(0x4e00 + 7 * natural(1000))).join('')), 1201],
}

/** A searchable document, and the characters of its rows by dialect. */
function read(metadata: object) {
  const document = { metadata }
  const found: Searchable = { did: 'did', created: 1, encrypted: false, orders: 0, ...leavesOf(document) }
  const values = valueRows(found).reduce((sum, { txt }) => sum + 30 + String(txt ?? '').length, 0)
  const size = (dialect: 'sqlite' | 'postgres') =>
    Object.values(textColumns(found, dialect)).reduce((sum, text) => sum + (text ?? '').length, values)
  return { found, rows: [size('sqlite'), size('postgres')], paid: deflateRawSync(JSON.stringify(document)).length }
}

describe('the search rows of a document', () => {
  it.each(Object.entries(contrived))('are limited by its compressed size: %s (threat 90)', (_, metadata) => {
    const { rows, paid, found } = read(metadata)
    const { least, perByte, most } = CATALOG_LIMITS.search.rows
    for (const size of rows) expect(size).toBeLessThan(1.5 * Math.min(most, Math.max(least, perByte * paid)))
    // short values are always found
    expect(found.leaves.find(({ path }) => path === 'metadata.name')?.words).toEqual(['tide'])
    expect(found.leaves.some(({ words }, at) => at > 0 && words.length > 0)).toBe(true)
  })

  it('omit all values after the first one beyond the limit, without reading them', () => {
    const long = many(900, (at) => 'ж'.repeat(126) + cyrillic(at))
    const { leaves } = leavesOf({ metadata: { name: 'tide', tags: long, zone: 'harbour' } })
    expect(leaves.length).toBeLessThan(900)
    expect(leaves.map(({ value }) => value)).not.toContain('harbour')
    expect(leavesOf({ metadata: { name: 'tide', zone: 'harbour' } }).leaves.map(({ value }) => value)).toContain(
      'harbour',
    )
  })

  it.each(Object.entries(honest))('contain all words of %s', (_, [metadata, count]) => {
    const { found } = read(metadata)
    expect(found.leaves.reduce((sum, { words }) => sum + words.length, 0)).toBe(count)
  })
})
