import { beforeEach, expect, it } from 'vitest'
import { ALICE } from '../../../../test/helpers/store-session.js'
import type { Address } from '../../../protocol/src/hex.js'
import { searchOfPublishers } from '../../src/publishers.js'
import { readSearch } from '../../src/search/request/request.js'
import type { CatalogSession } from '../catalog.js'
import { assetOf, CATALOGUE, CATALOGUE_CHANGES, nameOf, searches, words } from './documents.js'
import { commit } from './published.js'

/** SearchStore: which documents a query finds. */
export function querySuite(session: CatalogSession): void {
  const { find, names } = searches(session)
  const ALL = ['model', 'waves', 'tables']
  /** Names of what a clause finds, sorted: the order of hits is shown by other tests. */
  const by = async (query: object) => (await names({ query })).sort()
  beforeEach(async () => {
    await commit(session, CATALOGUE_CHANGES, 1)
  })

  it('finds a document by each of its words, in any field, ignoring case and accents', async () => {
    expect(await names(words('TIDE'))).toEqual(ALL)
    expect(await names(words('elodie'))).toEqual(['tables'])
    expect(await names(words('gaugés tide'))).toEqual(['waves'])
    for (const missing of ['tid', 'tides', 'tide volcano']) expect(await names(words(missing))).toEqual([])
  })

  it('finds a word only in the fields that are searched', async () => {
    expect(await by({ match: { 'metadata.name': 'tide' } })).toEqual(['tables'])
    expect(await by({ multi_match: { query: 'harmonic bob', fields: ['metadata.name', 'metadata.author'] } })).toEqual([
      'model',
      'waves',
    ])
    expect(await by({ match: { 'metadata.nothing': 'tide' } })).toEqual([])
  })

  it('finds a phrase only where its words follow each other in one text', async () => {
    const phrase = (text: string, path = 'metadata.description') => by({ match_phrase: { [path]: text } })
    expect(await phrase('high water')).toEqual(['tables'])
    expect(await phrase('water high')).toEqual([])
    expect(await phrase('high hour')).toEqual([])
    expect(await phrase('sea north', 'metadata.tags')).toEqual([])
    expect(await phrase('north sea', 'metadata.tags')).toEqual(['waves'])
    expect(await names(words('"tide tables"'))).toEqual(['tables'])
  })

  it('finds words by their beginning, short or long', async () => {
    expect(await names(words('harm*'))).toEqual(['model'])
    expect(await names(words('wa* height*'))).toEqual(['waves'])
    expect(await names(words('b*'))).toEqual(ALL)
    expect(await names(words('armonic*'))).toEqual([])
  })

  it('filters by whole values and words, and with `.keyword` by exact values', async () => {
    expect(await by({ term: { 'metadata.type': 'Dataset' } })).toEqual(['tables', 'waves'])
    expect(await by({ term: { 'metadata.tags': 'north sea' } })).toEqual(['waves'])
    expect(await by({ term: { 'metadata.tags.keyword': 'north sea' } })).toEqual([])
    expect(await by({ term: { 'metadata.tags.keyword': 'North Sea' } })).toEqual(['waves'])
    expect(await by({ term: { 'metadata.name': 'analysis' } })).toEqual(['model'])
    expect(await by({ terms: { 'metadata.author.keyword': ['bob', 'Élodie'] } })).toEqual(['model', 'tables'])
    expect(await by({ term: { 'metadata.stations': 12 } })).toEqual(['waves'])
  })

  it('filters by ranges of numbers and of times', async () => {
    expect(await by({ range: { 'metadata.stations': { gte: 3, lt: 12 } } })).toEqual(['model', 'tables'])
    expect(await by({ range: { 'metadata.stations': { gt: 3, lte: 12 } } })).toEqual(['model', 'waves'])
    expect(await by({ range: { 'metadata.measured': { gte: '2025-03-02' } } })).toEqual(['waves'])
    expect(await by({ range: { 'nft.created': { lte: '2026-01-02T00:00:00Z' } } })).toEqual(['tables', 'waves'])
    expect(await by({ range: { 'metadata.author': { gte: 0 } } })).toEqual([])
  })

  it('filters by the fields that a document has, and by DID', async () => {
    expect(await by({ exists: { field: 'metadata.measured' } })).toEqual(['tables', 'waves'])
    expect(await by({ exists: { field: 'metadata' } })).toEqual([...ALL].sort())
    expect(await by({ ids: { values: [CATALOGUE.model.did, 'did:op:none'] } })).toEqual(['model'])
    expect(await by({ term: { _id: CATALOGUE.waves.did } })).toEqual(['waves'])
  })

  it('combines clauses: all of must and filter, some of should, none of must_not', async () => {
    const [tide, dataset, bob] = [
      { match: { 'metadata.tags': 'tide' } },
      { term: { 'metadata.type': 'dataset' } },
      { term: { 'metadata.author': 'bob' } },
    ]
    expect(await by({ bool: { must: [tide], filter: [dataset] } })).toEqual(['tables'])
    expect(await by({ bool: { should: [tide, dataset] } })).toEqual([...ALL].sort())
    expect(await by({ bool: { should: [tide, dataset, bob], minimum_should_match: 2 } })).toEqual([...ALL].sort())
    expect(await by({ bool: { should: [tide, dataset, bob], minimum_should_match: 3 } })).toEqual([])
    expect(await by({ bool: { must_not: [bob] } })).toEqual(['tables'])
    expect(await by({ bool: { must: [dataset], must_not: [tide] } })).toEqual(['waves'])
    expect(await names(words('tide AND NOT (bob OR harmonic)'))).toEqual(['tables'])
  })

  it('finds everything without a query, and nothing by match_none', async () => {
    expect(await names({})).toEqual(ALL)
    expect(await names({ query: { match_all: {} } })).toEqual(ALL)
    expect(await names({ query: { match_none: {} } })).toEqual([])
  })

  it('takes any characters in documents and queries as text, never as syntax of the database', async () => {
    const odd = assetOf(4, { name: `o'neil" -- %_\\ \0 \ud800 🌊 潮汐`, tags: [`'); DROP TABLE x; --`] })
    await commit(session, odd.changes, 2)
    expect(await by({ match: { 'metadata.name': '潮汐' } })).toEqual([nameOf(odd.did)])
    expect(await by({ term: { 'metadata.tags.keyword': `'); DROP TABLE x; --` } })).toEqual([nameOf(odd.did)])
    for (const text of [`tide' OR '1'='1`, 'tide" NEAR x', 'tide & !x | x:*', '\0', '\ud800', '%', "'", '\\', ':*'])
      for (const path of ['metadata.name', `metadata.${text}`])
        await find({ query: { bool: { should: [{ match: { [path]: text } }, { term: { [path]: text } }] } } })
    expect(await by({ match: { 'metadata.name': { query: `harmonic' OR 'x`, operator: 'and' } } })).toEqual([])
  })

  it('finds the assets of publishers alone, members of a list on the chain of the list (threat 103)', async () => {
    const many = Array.from({ length: 2500 }, (_, at): Address => `0x${String(at).padStart(40, '0')}`)
    const from = (addresses: Address[], lists: Record<number, Address[]> = {}) => {
      const publishers = { addresses, members: (chainId: number) => new Set(lists[chainId]) }
      return session.store.search
        .find(searchOfPublishers(readSearch(words('tide')), publishers, [1, 2]), {
          chains: [1, 2],
          encrypted: true,
          purgatory: [],
        })
        .then(({ hits }) => hits.length)
    }
    expect(await from([], { 1: [...many, ALICE], 2: many })).toBe(3)
    expect(await from([ALICE])).toBe(3)
    expect(await from(many, { 1: many, 2: [ALICE] })).toBe(0)
    expect(await from([])).toBe(0)
  })
}
