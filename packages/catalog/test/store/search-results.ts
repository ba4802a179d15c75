import { beforeEach, expect, it } from 'vitest'
import { orderOf } from '../../../../test/helpers/orders.js'
import type { IndexedAsset } from '../../../protocol/src/ddo/indexed.js'
import { SearchError, ValidationError } from '../../../protocol/src/errors.js'
import type { Aggregated } from '../../src/search/syntax.js'
import type { CatalogSession } from '../catalog.js'
import { assetOf, CATALOGUE, CATALOGUE_CHANGES, searches, words } from './documents.js'
import { commit } from './published.js'

/** SearchStore: the order of hits, their scores, pages, totals, documents and aggregations. */
export function resultSuite(session: CatalogSession): void {
  const { find, names } = searches(session)
  const TIDE = {
    query_string: { query: 'tide', fields: ['metadata.name^10', 'metadata.description^2', 'metadata.tags'] },
  }
  beforeEach(async () => {
    const [{ datatoken: a }, { datatoken: b }] = [CATALOGUE.tables, CATALOGUE.waves]
    const orders = [a, a, a, b].map((datatoken) => orderOf(datatoken))
    await commit(session, [...CATALOGUE_CHANGES, ...orders], 1)
  })

  it('sorts by score, and the newest NFT first if scores are equal', async () => {
    expect(await names({ query: TIDE })).toEqual(['tables', 'model', 'waves'])
    expect(await names({ query: { match_all: {} } })).toEqual(['model', 'waves', 'tables'])
  })

  it('scores a match by its boost and the greatest weight of the fields that match, and filters by nothing', async () => {
    const scored = await find({ query: TIDE })
    expect([scored.hits.map(({ score }) => score), scored.maxScore]).toEqual([[10, 2, 2], 10])
    const should = [
      { term: { 'metadata.author': { value: 'bob', boost: 0.5 } } },
      { match: { 'metadata.name': 'wave' } },
    ]
    const filter = [{ term: { 'metadata.type': 'dataset' } }]
    const boosted = await find({ query: { bool: { must: [{ match_all: {} }], should, filter } } })
    expect(boosted.hits.map(({ score }) => score)).toEqual([2.5, 1])
    expect((await find({ query: TIDE, from: 1 })).maxScore).toBe(10)
    expect((await find(words('volcano'))).maxScore).toBeNull()
  })

  it('sorts by fields, numbers, times and texts, without a score', async () => {
    expect(await names({ sort: { 'metadata.stations': 'asc' } })).toEqual(['tables', 'model', 'waves'])
    expect(await names({ sort: { 'metadata.stations': 'desc' } })).toEqual(['waves', 'model', 'tables'])
    expect(await names({ sort: [{ 'nft.created': 'asc' }] })).toEqual(['tables', 'waves', 'model'])
    expect(await names({ sort: [{ 'metadata.type': 'asc' }, { 'metadata.stations': 'desc' }] })).toEqual([
      ...['model', 'waves', 'tables'],
    ])
    // texts by their bytes, whatever the collation of the database
    expect(await names({ sort: { 'metadata.author.keyword': 'asc' } })).toEqual(['waves', 'model', 'tables'])
    const found = await find({ query: TIDE, sort: { 'metadata.stations': 'asc' } })
    expect([found.hits[0]?.score, found.maxScore]).toEqual([null, null])
  })

  it('puts hits without a value last, or first on request', async () => {
    const sorted = (how: object) => names({ sort: { 'metadata.measured': how } })
    expect(await sorted({ order: 'asc' })).toEqual(['tables', 'waves', 'model'])
    expect(await sorted({ order: 'desc' })).toEqual(['waves', 'tables', 'model'])
    expect(await sorted({ order: 'asc', missing: '_first' })).toEqual(['model', 'tables', 'waves'])
  })

  it('returns pages of the hits, and the total whatever the page', async () => {
    for (const [from, page] of [
      [0, ['tables', 'model']],
      [2, ['waves']],
      [3, []],
    ] as const) {
      const found = {
        names: await names({ query: TIDE, from, size: 2 }),
        ...(await find({ query: TIDE, from, size: 2 })),
      }
      expect(found).toMatchObject({ names: page, total: { value: 3, relation: 'eq' } })
    }
    expect(await find({ query: TIDE, size: 0 })).toMatchObject({ hits: [], total: { value: 3 } })
    expect(await names({ sort: { 'metadata.stations': 'asc' }, from: 1, size: 1 })).toEqual(['model'])
  })

  it('counts hits up to the number that is asked, or not at all', async () => {
    const totalOf = async (most: number | boolean) => (await find({ query: TIDE, track_total_hits: most })).total
    expect(await totalOf(true)).toEqual({ value: 3, relation: 'eq' })
    expect(await totalOf(3)).toEqual({ value: 3, relation: 'eq' })
    expect(await totalOf(2)).toEqual({ value: 2, relation: 'gte' })
    expect(await totalOf(false)).toBeUndefined()
  })

  it('aggregates the newest hits alone where terminate_after asks for fewer, and says so', async () => {
    const search = { query: TIDE, aggs: { types: { terms: { field: 'metadata.type' } } } }
    const read = async (more: object) => {
      const { aggregations, total } = await find({ ...search, ...more })
      const { doc_count_error_upper_bound: error, buckets } = aggregations.types as Extract<
        Aggregated,
        { buckets: unknown }
      >
      return [buckets.reduce((sum, { doc_count }) => sum + doc_count, 0), error, total]
    }
    const total = { value: 3, relation: 'eq' }
    for (const size of [0, 1]) {
      expect(await read({ size, terminate_after: 2 })).toEqual([2, -1, total])
      for (const all of [0, 3, 10 ** 9]) expect(await read({ size, terminate_after: all })).toEqual([3, 0, total])
    }
    const { aggregations } = await find({ size: 0, ...search, terminate_after: 1 })
    // the newest one
    expect(aggregations.types).toMatchObject({ buckets: [{ key: 'algorithm', doc_count: 1 }] })
    for (const wrong of [-1, 1.5, '5', null])
      await expect(async () => find({ ...search, terminate_after: wrong })).rejects.toMatchObject({
        fields: { terminate_after: [expect.any(String)] },
      })
  })

  it('returns the assets of the hits as the index has them, or none if the request wants no documents', async () => {
    const { did } = CATALOGUE.tables
    const { assets } = await find({ query: TIDE, size: 1 })
    expect([...assets]).toEqual([[did, await session.store.index.asset(did)]])
    expect(assets.get(did)?.datatokens).toMatchObject([{ orders: 3 }])
    expect((await find({ query: TIDE, _source: false })).assets.size).toBe(0)
  })

  it('aggregates the values of all hits: their counts, in order, within a size, and sums', async () => {
    const terms = (more: object = {}) => ({ terms: { field: 'metadata.tags.keyword', ...more } })
    const sums = { aggs: { orders: { sum: { field: 'stats.orders' } } } }
    const { aggregations } = await find({
      size: 0,
      query: { match: { 'metadata.tags': 'tide sea' } },
      aggs: {
        counted: terms({ size: 2 }),
        byKey: terms({ order: { _key: 'desc' } }),
        types: { terms: { field: 'metadata.type', order: { orders: 'desc' } }, ...sums },
        stations: { sum: { field: 'metadata.stations' } },
      },
    })
    const bucket = (key: string, doc_count: number) => ({ key, doc_count })
    const others = (sum_other_doc_count: number) => ({ doc_count_error_upper_bound: 0, sum_other_doc_count })
    const keys = ['sea', 'north', 'Tide', 'North Sea', 'France']
    expect(aggregations).toEqual({
      counted: { ...others(3), buckets: [bucket('Tide', 2), bucket('France', 1)] },
      byKey: { ...others(0), buckets: keys.map((key) => bucket(key, key === 'Tide' ? 2 : 1)) },
      types: {
        ...others(0),
        buckets: [
          { ...bucket('dataset', 2), orders: { value: 4 } },
          { ...bucket('algorithm', 1), orders: { value: 0 } },
        ],
      },
      stations: { value: 22 },
    })
    const none = await find({ ...words('volcano'), aggs: { tags: terms(), stations: { sum: { field: 'x' } } } })
    expect(none.aggregations).toEqual({ tags: { ...others(0), buckets: [] }, stations: { value: 0 } })
  })

  it('finds documents that are too long to be read with a page, and reads them one by one (threat 89)', async () => {
    const long = Array.from({ length: 9 }, (_, at) => assetOf(10 + at, { name: 'long', text: 'a '.repeat(500_000) }))
    await commit(
      session,
      long.flatMap(({ changes }) => changes),
      2,
    )
    // of so many long documents one transaction writes the search rows of some
    const { search } = session.store
    while (await search.buildSome());
    const { hits, assets } = await find({ query: { match: { 'metadata.name': 'long' } } })
    expect(hits).toHaveLength(9)
    for (const { did } of hits) {
      const asset = assets.get(did) as IndexedAsset
      expect(asset).toMatchObject({ unread: expect.any(Number), metadata: { ddo: null } })
      expect(await search.document(asset)).toContain('a a a')
    }
  })

  it('takes expensive searches, or rejects them with ValidationError or SearchError, and answers others afterwards', async () => {
    const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
    for (const body of [
      {
        query: {
          bool: { should: many(100, (at) => ({ match: { 'metadata.name': { query: `w${at}`, boost: at } } })) },
        },
      },
      { query: { bool: { must_not: many(2, (at) => ({ terms: { [`x${at}`]: many(1000, (one) => `v${one}`) } })) } } },
      { query: { bool: { filter: many(100, (at) => ({ range: { 'nft.state': { gte: -at } } })) } } },
      { sort: many(8, (at) => ({ [`metadata.${at}`]: 'asc' })), from: 9000, size: 1000 },
    ]) {
      const error = await find(body).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      const isDocumented = error instanceof ValidationError || error instanceof SearchError
      expect(error === undefined || isDocumented, String(error)).toBe(true)
    }
    expect(await names(words('harmonic'))).toEqual(['model'])
  })
}
