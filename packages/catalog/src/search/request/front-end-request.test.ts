import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../../../protocol/src/errors.js'
import { ofVersions, versionOfIndex } from './document-versions.js'
import { lastPageOf, readFrontEndSearch } from './front-end-request.js'
import { readSearch } from './request.js'

const FOUR = 'op_ddo_v4.1.0'
const FIVE = 'op_ddo_v5.0.0'

/** Documents that are skipped, and the size of the page. */
function pageOf(index: string, from: unknown, size: unknown = 5) {
  const search = readFrontEndSearch({ index, from, size })?.search
  return [search?.from, search?.size]
}

function refusal(body: object): Record<string, string[]> {
  try {
    readFrontEndSearch(body)
  } catch (error) {
    return (error as ValidationError).fields as Record<string, string[]>
  }
  throw new Error('It was not refused.')
}

describe('a search that names an index', () => {
  it.each([
    ['op_ddo_v4.1.0', 4],
    ['op_ddo_v4.7.0', 4],
    ['op_ddo_v5.0.0', 5],
    ['op_ddo_v5', 5],
    ['aquarius', 4],
    ['v510', 4],
    ['op_ddo_v6.0.0', undefined],
    ['op_ddo_v40.0.0', undefined],
    ['another', undefined],
  ])('%s is of documents of version %s', (name, version) => expect(versionOfIndex(name)).toBe(version))

  it('reads only documents of its version', () => {
    const filterOf = (index: string) => readFrontEndSearch({ index })?.search.query
    expect(filterOf(FOUR)).toMatchObject({ filter: [ofVersions([4])] })
    expect(filterOf(FIVE)).toMatchObject({ filter: [ofVersions([5])] })
    expect(readSearch({ query: { term: { _index: 'v510' } } }).query).toMatchObject(ofVersions([4]))
    expect(readSearch({ query: { terms: { _index: [FIVE] } } }).query).toMatchObject(ofVersions([5]))
    expect(readSearch({ query: { terms: { _index: [FOUR, FIVE] } } }).query).toMatchObject({ kind: 'all' })
  })

  it('counts pages from 1 in version 4, and from 0 in version 5, also as text', () => {
    for (const from of [undefined, 0, 1, '1']) expect(pageOf(FOUR, from)).toEqual([0, 5])
    for (const from of [2, '2']) expect(pageOf(FOUR, from)).toEqual([5, 5])
    expect([0, 1, '2'].map((from) => pageOf(FIVE, from))).toEqual([0, 5, 10].map((skipped) => [skipped, 5]))
    // without an index it is an offset
    expect(readFrontEndSearch({ from: 2, size: 5 })).toBeUndefined()
    expect(readSearch({ from: 2, size: 5 })).toMatchObject({ from: 2, size: 5 })
  })

  it('gets documents with size 0, since front ends count them themselves', () => {
    for (const index of [FOUR, FIVE]) expect(pageOf(index, 0, 0)).toEqual([0, 100])
  })

  it('gets the last page if it asks for one behind it', () => {
    const search = readFrontEndSearch({ index: FIVE, from: 3, size: 5 })?.search
    if (!search) throw new Error('It names an index.')
    expect(lastPageOf(search, 12)).toMatchObject({ from: 10 })
    expect(lastPageOf(search, 16)).toBeUndefined()
    expect(lastPageOf(search, 0)).toBeUndefined()
  })

  it.each([
    [{ index: 'another' }, 'index'],
    [{ index: 4 }, 'index'],
    [{ index: FOUR, from: -1 }, 'from'],
    [{ index: FOUR, from: '1e3' }, 'from'],
    [{ index: FOUR, from: 11, size: 1000 }, 'from'],
    [{ index: FOUR, size: 'many' }, 'size'],
    [{ index: FOUR, query: { fuzzy: {} } }, 'query'],
  ])('is refused with the name of the field: %j', (body, field) => {
    expect(Object.keys(refusal(body))).toEqual([field])
  })
})

describe('clauses of front ends', () => {
  it('are read without null, false and empty lists', () => {
    const clause = { term: { a: 'b' } }
    const lists = ['must', 'must_not', 'should', 'filter']
    const body = (list: unknown) => ({ query: { bool: Object.fromEntries(lists.map((key) => [key, list])) } })
    expect(readSearch(body([null, clause, false, []]))).toEqual(readSearch(body([clause])))
    for (const none of [[null], false, null, [false, null], [[]]])
      expect(readSearch(body(none))).toEqual(readSearch(body([])))
  })

  const FIELDS = Array.from({ length: 9 }, (_, at) => `field${at}^${at + 1}`)
  const texts = (words: string[]) => {
    const query = words.map((word) => `${word}*`).join(' ')
    return Array.from({ length: 3 }, () => ({ query_string: { query, fields: FIELDS, lenient: true } }))
  }

  it('may look for three words in nine fields three times, and for no more words', () => {
    const should = texts(['tide', 'tables', 'harbour'])
    expect(() => readSearch({ query: { bool: { should } } })).not.toThrow()
    expect(() => readSearch({ query: { bool: { should: texts(['tide', 'tables', 'harbour', 'wind']) } } })).toThrow(
      ValidationError,
    )
  })
})
