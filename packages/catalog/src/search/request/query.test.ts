import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../../../protocol/src/errors.js'
import { searchAll } from '../../../test/sql/reference.js'
import { CATALOG_LIMITS } from '../../limits.js'
import { leavesOf, type Searchable } from '../documents/document.js'
import { encoded } from '../documents/encoded.js'
import { folded } from '../documents/folded.js'
import { wordsOf } from '../documents/words.js'
import { SourcePicker } from '../source.js'
import { textRow } from '../tables/rows.js'
import { readSearch } from './request.js'

const REQUESTS = JSON.parse(
  readFileSync(new URL('../../../test/search/fixtures/requests.json', import.meta.url), 'utf8'),
) as Record<string, object>

const DOCUMENT = {
  id: 'did:op:1111111111111111111111111111111111111111111111111111111111111111',
  chainId: 8996,
  metadata: {
    name: 'The Ocean Tide',
    description: 'Données of the covid-19 pandemic',
    tags: ['ocean', 'deep sea'],
    type: 'dataset',
    created: '2026-01-02T00:00:00Z',
  },
  nft: { owner: '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260', state: 0 },
  services: [{ files: '0xsecret', timeout: 0 }],
}

function finds(body: unknown): number {
  const document: Searchable = { did: DOCUMENT.id, created: 1, encrypted: false, orders: 0, ...leavesOf(DOCUMENT) }
  return searchAll([document], readSearch(body), []).total?.value as number
}
const string = (query: string, rest: object = {}) => finds({ query: { query_string: { query, ...rest } } })

function refusal(body: unknown): [field: string, reason: string] {
  try {
    readSearch(body)
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError)
    const [[field, [reason]]] = Object.entries((error as ValidationError).fields) as [[string, [string]]]
    return [field, reason]
  }
  throw new Error('It was not refused.')
}

describe('the query language', () => {
  it.each(Object.keys(REQUESTS))('accepts the request of a client: %s', (name) => {
    expect(() => readSearch(REQUESTS[name])).not.toThrow()
  })

  it('recognizes the default order, which needs no sorting', () => {
    const byDate = { path: 'nft.created', descending: true, missing: 'last' } as const
    for (const sort of [undefined, '_score', ['_score'], ['_score', { 'nft.created': 'desc' }]])
      expect(readSearch({ sort }).sort).toEqual([])
    for (const sort of [[{ _score: 'asc' }], ['_score', 'nft.created'], ['_score', '_score']])
      expect(readSearch({ sort }).sort).toHaveLength(sort.length)
    expect(readSearch({ sort: [{ 'nft.created': 'desc' }] }).sort).toEqual([byDate])
    // the expected hits: all documents in the order of both keys
    const documents = ['a', 'b', 'c', 'd'].map((did, at): Searchable => {
      const text = { ...DOCUMENT, metadata: { name: did, description: at % 2 === 0 ? 'rare' : 'common' } }
      return { did, created: [2, 1, 3, 4][at] as number, encrypted: false, orders: 0, ...leavesOf(text) }
    })
    const search = readSearch({
      query: { bool: { should: [{ match: { 'metadata.description': 'rare' } }, { match_all: {} }] } },
    })
    const sorted = searchAll(
      documents,
      { ...search, sort: [{ path: '_score', descending: true, missing: 'last' }, byDate] },
      [],
    )
    expect(searchAll(documents, search, []).hits).toEqual(sorted.hits)
    expect(sorted.hits.map(({ did }) => did)).toEqual(['c', 'a', 'd', 'b'])
  })

  it('finds assets with the queries of marketplace front ends', () => {
    expect(
      ['market: text', 'market: no text', 'market: owner', 'market: top publishers'].map((name) =>
        finds(REQUESTS[name]),
      ),
    ).toEqual([1, 1, 1, 1])
    expect(finds(REQUESTS['market: related assets'])).toBe(1)
    expect(finds({ query: { bool: { must_not: { match: { id: DOCUMENT.id } } } } })).toBe(0)
  })

  it.each([
    ['ocean', 1],
    ['OCEAN', 1],
    ['nothing', 0],
    ['donnees', 1],
    ['"ocean tide"', 1],
    ['"tide ocean"', 0],
    ['oce*', 1],
    ['*cean', 0],
    ['ocean nothing', 1],
    ['ocean AND nothing', 0],
    ['ocean AND NOT nothing', 1],
    ['ocean -tide', 0],
    ['NOT nothing', 1],
    ['nothing OR ocean AND tide', 1],
    ['(nothing OR ocean) AND tide', 1],
    ['+ocean +nothing', 0],
    ['metadata.name:ocean', 1],
    ['metadata.name:pandemic', 0],
    ['metadata.tags:"deep sea"', 1],
    ['metadata.tags:(deep OR x)', 1],
    ['metadata.type.keyword:dataset', 1],
    ['metadata.type.keyword:Dataset', 0],
    ['covid\\-19', 1],
    ['did\\:op\\:1*', 0],
    ['*', 1],
    ['metadata.x:*', 0],
    ['_exists_:metadata.tags', 1],
    ['secret', 0],
    ['0xsecret', 0],
    ['services.files:*', 0],
    ['', 0],
    ['-', 0],
    ['ocean^3', 1],
    ['"sea dataset"', 0],
  ])('query string %s finds %i', (query, found) => {
    expect(string(query)).toBe(found)
  })

  it.each([
    ['ocean nothing', { default_operator: 'AND' }, 0],
    ['ocean tide nothing', { minimum_should_match: '2<75%' }, 1],
    ['ocean nothing never', { minimum_should_match: 2 }, 0],
    ['ocean', { fields: ['metadata.description', 'metadata.tags^3'] }, 1],
    ['pandemic', { default_field: 'metadata.name' }, 0],
  ])('query string %s with %j finds %i', (query, rest, found) => {
    expect(string(query, rest)).toBe(found)
  })

  it.each([
    [{ query: { fuzzy: { a: 'b' } } }, 'query', '"fuzzy"'],
    [{ query: { bool: { must: [{ script: {} }] } } }, 'query', '"script"'],
    [{ query: { regexp: { a: '(a+)+$' } } }, 'query', '"regexp"'],
    [{ query: { match: { a: { query: 'b', fuzziness: 2 } } } }, 'query', '"match.fuzziness"'],
    [{ query: { query_string: { query: 'a~2' } } }, 'query', '"fuzzy ~"'],
    [{ query: { query_string: { query: '/a.*/' } } }, 'query', '"regular expression /"'],
    [{ query: { query_string: { query: 'x:[1 TO 2]' } } }, 'query', '"range [ ]"'],
    [{ query: { query_string: { query: 'a*b' } } }, 'query', '"wildcard inside of a word"'],
    [{ query: { query_string: { query: '"open' } } }, 'query', 'no end'],
    [{ query: { query_string: { query: '(a' } } }, 'query', 'no end'],
    [{ query: { query_string: { query: 'a)' } } }, 'query', 'too many'],
    [{ query: { query_string: { query: 'AND' } } }, 'query', 'between nothing'],
    [{ query: { multi_match: { query: 'a', fields: ['metadata.*'] } } }, 'query', '"wildcard in the name of a field"'],
    [{ query: { range: { a: { gte: 'now-1d' } } } }, 'query', 'number or a time'],
    [{ query: { match_all: {}, match: {} } }, 'query', 'exactly one'],
    [{ query: [] }, 'query', 'object'],
    [{ query: { hasOwnProperty: {} } }, 'query', '"hasOwnProperty"'],
    [{ query: { constructor: {} } }, 'query', '"constructor"'],
    [{ constructor: {} }, 'constructor', '"constructor"'],
    [{ min_score: 1 }, 'min_score', '"min_score"'],
    [{ sort: { a: { mode: 'avg' } } }, 'sort', '"sort.mode"'],
    [{ sort: { a: 'up' } }, 'sort', 'asc or desc'],
    [{ aggs: { a: { avg: { field: 'b' } } } }, 'aggs', '"avg"'],
    [{ aggs: { a: { terms: { field: 'b' }, aggs: { c: { terms: { field: 'd' }, aggs: {} } } } } }, 'aggs', 'inside'],
    [{ aggs: { a: { terms: { field: 'b', order: { constructor: 'asc' } } } } }, 'aggs', '"terms.order.constructor"'],
    [{ size: 20_000 }, 'size', 'whole number'],
    [{ size: -1 }, 'size', 'whole number'],
    [{ from: 9_999, size: 10 }, 'from', '10000'],
    [{ _source: [1] }, '_source', 'names of fields'],
    ['text', 'body', 'object'],
  ])('%j is refused under %s, by name: %s', (body, field, reason) => {
    const [told, why] = refusal(body)
    expect(told).toBe(field)
    expect(why).toContain(reason)
  })

  it('has limits on depth, clauses, words, values and lengths', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { match_all: {} } : { bool: { must: [nested(depth - 1)] } }
    expect(refusal({ query: nested(500) })[1]).toContain('deeper')
    expect(refusal({ query: { query_string: { query: '('.repeat(1000) } } })[1]).toContain('deeper')
    expect(refusal({ query: { query_string: { query: '-'.repeat(1000) } } })[1]).toContain('deeper')
    const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one)
    expect(refusal({ query: { bool: { should: many(1000, { match_all: {} }) } } })[1]).toContain('clauses')
    expect(refusal({ query: { query_string: { query: 'a '.repeat(1000) } } })[1]).toContain('clauses')
    const fields = Array.from({ length: 64 }, (_, at) => `f${at}`)
    expect(refusal({ query: { multi_match: { query: 'a '.repeat(50), fields } } })[1]).toContain('words')
    expect(refusal({ query: { terms: { a: many(5000, 'x') } } })[1]).toContain('entries')
    expect(refusal({ query: { match: { a: 'x'.repeat(5000) } } })[1]).toContain('longer')
    expect(refusal({ query: { match: { ['a'.repeat(5000)]: 'x' } } })[1]).toContain('name of a field')
    const aggs = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`, { sum: { field: 'b' } }]))
    expect(refusal({ aggs })[0]).toBe('aggs')
  })

  it('encodes words in letters and digits, preserving prefixes', () => {
    for (const word of [...wordsOf('Zebra ZZ Données 海洋 😀 z1 z00e9 e\u0301t\u00e9 İstanbul ẞ'), 'ﬁ']) {
      expect(encoded(folded(word))).toMatch(/^[a-z0-9]*$/)
      for (const other of ['z', 'zz', 'ze', 'd', '海', 'e'])
        expect(encoded(folded(word)).startsWith(encoded(other)), `${word} ${other}`).toBe(
          folded(word).startsWith(other),
        )
    }
  })

  it('limits the searchable part of a document: the longest text is truncated, and fields of the index come first', () => {
    const huge = {
      junk: Array.from({ length: 5000 }, (_, at) => `value ${at}`),
      metadata: { name: 'short name', description: 'same '.repeat(3000) + 'word '.repeat(5000) },
      nft: { state: 0 },
    }
    const { leaves, paths } = leavesOf(huge)
    expect(leaves).toHaveLength(CATALOG_LIMITS.search.values)
    expect(leaves.reduce((sum, { words }) => sum + words.length, 0)).toBeLessThanOrEqual(CATALOG_LIMITS.search.words)
    expect(paths.has('nft.state')).toBe(true)
    expect(leaves.find(({ path }) => path === 'metadata.name')?.words).toEqual(['short', 'name'])
    const { tsv } = textRow({ did: 'd', created: 0, encrypted: false, orders: 0, leaves, paths }, 1, 'postgres')
    expect(tsv).toMatch(/:\d/)
    for (const [, places = ''] of (tsv as string).matchAll(/:([\d,]+)/g))
      expect(places.split(',').length).toBeLessThan(256)
  })

  it('refuses patterns of parts that take long to compare with each path (threat 142)', () => {
    const patterns = Array(64).fill('*a'.repeat(250))
    for (const _source of [patterns, { excludes: patterns }])
      expect(() => readSearch({ _source })).toThrow(
        expect.objectContaining({ fields: { _source: [expect.stringContaining('more than 512 characters')] } }),
      )
    expect(readSearch({ _source: ['metadata.*', '*.id'] }).source?.includes).toHaveLength(2)
  })

  it('returns the requested parts of a document', () => {
    const document = {
      id: 1,
      metadata: { name: 'n', tags: [], links: { a: 1 } },
      services: [{ id: 'a', files: 'f' }, { id: 'b' }],
    }
    const pick = (includes: string[], excludes: string[] = []) =>
      new SourcePicker({ includes, excludes }).pick(document)
    expect(pick([])).toEqual(document)
    expect(pick(['metadata'])).toEqual({ metadata: document.metadata })
    expect(pick(['meta*ta.n*e', 'me*am*name'])).toEqual({ metadata: { name: 'n' } })
    expect(pick(['*.id'])).toEqual({ services: [{ id: 'a' }, { id: 'b' }] })
    expect(pick([], ['services.f*', 'metadata.links'])).toEqual({
      id: 1,
      metadata: { name: 'n', tags: [] },
      services: [{ id: 'a' }, { id: 'b' }],
    })
    expect(pick(['nothing'])).toEqual({})
    expect(pick([`${'*a'.repeat(200)}b`])).toEqual({})
  })
})
