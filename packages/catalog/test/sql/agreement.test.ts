import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import Database from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { runScript } from '../../../database/src/script.js'
import type { Dialect, Driver, Query, Result } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { ProviderError, SearchError } from '../../../protocol/src/errors.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { CATALOG_LIMITS } from '../../src/limits.js'
import { aggregated } from '../../src/search/answer/aggregate.js'
import { stateIn, stateQuery } from '../../src/search/answer/find.js'
import { generationsIn } from '../../src/search/conditions/generations.js'
import { type Searchable, searchable } from '../../src/search/documents/document.js'
import { sorted } from '../../src/search/hits/sorted.js'
import { planOf } from '../../src/search/plan/plan.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, catalogOn, postgresDriver, sqliteCatalog } from '../catalog.js'
import { ASSET, address, BODY, CHAIN, changesOf, FIELDS, FRONT_END_TEXT, NAMED } from './arbitraries.js'
import { searchAll } from './reference.js'

const SCOPE = { chains: [CHAIN], encrypted: true }

/** What the full-text index alone cannot answer. */
const SOME = { range: { 'stats.orders': { gte: 1 } } }
/** The deepest query of a kind that is no bad request, up to a depth. */
function deepest(nested: (depth: number) => object, most: number): object {
  for (let depth = most; ; depth--) {
    try {
      readSearch({ query: nested(depth) })
      return nested(depth)
    } catch (error) {
      expect(error).toBeInstanceOf(ProviderError)
    }
  }
}
/** What a store finds. On a busy machine, any search may take longer than its deadline: it is asked again. */
async function foundIn(store: Catalog, ...search: Parameters<Catalog['search']['find']>) {
  for (let left = 10; ; left--)
    try {
      return await store.search.find(...search)
    } catch (error) {
      if (!(error instanceof SearchError) || left === 0) throw error
    }
}
const TAGS = { tags: { terms: { field: 'metadata.tags.keyword' } } }

describe('a search answers the same everywhere', () => {
  let server: PostgresDatabase | undefined
  let folder: string
  let postgres: Driver
  const stores: [name: string, store: Catalog][] = []

  beforeAll(async () => {
    folder = newFolder()
    stores.push(['embedded', sqliteCatalog(folder)])
    server = await startPostgres()
    const name = `test_${randomBytes(8).toString('hex')}`
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    // a collation that does not sort by bytes
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`)
    await admin.end()
    postgres = await postgresDriver({ url: server.url(name), connections: 5, timeout: 20_000 })
    stores.push(['PostgreSQL', catalogOn(postgres)])
  })
  afterAll(async () => {
    for (const [, store] of stores) await store.close()
  })

  let generation: { block: number; hash: `0x${string}` } | undefined
  /** Replaces all assets; returns what the databases contain of them. */
  async function put(changes: IndexChange[]): Promise<Searchable[]> {
    const to = { block: (generation?.block ?? 0) + 1, hash: '0xaa' as const }
    const dids = changes.flatMap((change) => (change.kind === 'metadata' ? change.metadata.did : []))
    let documents: Searchable[] = []
    for (const [, { index }] of stores) {
      if ((await index.generations(CHAIN)).live) {
        await index.begin(CHAIN, true)
        expect(await index.next.commit({ chainId: CHAIN, from: undefined, to, changes })).toBe(true)
        expect(await index.promote(CHAIN, to)).toBe(true)
        // rows of old generations may stay for a while
        if (to.block % 2 === 0) while (await index.sweep(CHAIN));
      } else expect(await index.commit({ chainId: CHAIN, from: undefined, to, changes })).toBe(true)
      const assets = await Promise.all(dids.map((did) => index.asset(did)))
      documents = assets.flatMap((asset) => (asset && searchable(asset)) ?? [])
    }
    generation = to
    return documents
  }

  const asksOf = (embedded: Database.Database): [Dialect, (query: Query) => Promise<Result>][] => [
    ['sqlite', async ({ text, values }) => ({ rows: embedded.prepare(text).all(values), changes: 0 }) as Result],
    ['postgres', postgres.query.bind(postgres)],
  ]

  it('as a full scan of all documents, on both databases, for any query', async () => {
    let [refused, answered] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(ASSET, { minLength: 5, maxLength: 12 }),
        fc.array(BODY, { minLength: 40, maxLength: 40 }),
        fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 2 }),
        fc.boolean(),
        async (assets, bodies, listed, encrypted) => {
          const documents = await put(changesOf(assets))
          const purgatory = listed.map((at) => didOf(address(at), CHAIN))
          for (const body of bodies) {
            let search: ReturnType<typeof readSearch>
            try {
              search = readSearch(JSON.parse(JSON.stringify(body)))
            } catch (error) {
              expect(error).toBeInstanceOf(ProviderError)
              refused += 1
              continue
            }
            answered += 1
            const visible = documents.filter((document) => encrypted || !document.encrypted)
            const expected = searchAll(visible, search, purgatory)
            for (const [name, store] of stores) {
              const { building: _, assets, ...found } = await foundIn(store, search, { ...SCOPE, encrypted, purgatory })
              expect(found, `${name}: ${JSON.stringify(body)}`).toEqual(expected)
              expect([...assets.keys()].sort()).toEqual(expected.hits.map(({ did }) => did).sort())
            }
          }
        },
      ),
      { numRuns: Number(process.env.SEARCH_RUNS ?? 8), endOnFailure: true },
    )
    expect(answered).toBeGreaterThan(refused)
  })

  it.each([
    ['must_not', (inner: object) => ({ must_not: [inner] })],
    ['should and must', (inner: object) => ({ should: [inner, SOME], must: [{ exists: { field: 'metadata.name' } }] })],
    ['alternatives', (inner: object) => ({ should: [{ bool: { must: [inner, SOME] } }, SOME] })],
    // more choices than are written out; deeper, it takes seconds
    ['least', (inner: object) => ({ should: [inner, ...Array(7).fill(SOME)], minimum_should_match: 4 }), 4],
    ['all kinds of them', (inner: object) => ({ must: [inner, SOME], must_not: [{ bool: { must_not: [SOME] } }] })],
  ] as [
    string,
    (inner: object) => object,
    number?,
  ][])('however deeply clauses are nested: %s', async (_, around, most = CATALOG_LIMITS.search.depth) => {
    const documents = await put(changesOf(fc.sample(ASSET, { numRuns: 10, seed: 7 })))
    const nested = (depth: number): object => (depth === 0 ? SOME : { bool: around(nested(depth - 1)) })
    for (const sort of [['_score'], [{ 'nft.created': 'desc' }]]) {
      const search = readSearch({ query: deepest(nested, most), sort, aggs: TAGS })
      const expected = searchAll(documents, search, [])
      for (const [name, store] of stores) {
        const scope = { ...SCOPE, purgatory: [] }
        const { building: _building, assets: _assets, ...found } = await foundIn(store, search, scope)
        expect(found, name).toEqual(expected)
      }
    }
  })

  it('on PostgreSQL at a cost that does not multiply with the depth of exclusions (threat 145)', async () => {
    await put(changesOf(fc.sample(ASSET, { numRuns: 10, seed: 7 })))
    const excluded = (depth: number): object => (depth === 0 ? SOME : { bool: { must_not: [excluded(depth - 1)] } })
    const generations = generationsIn(stateIn(await postgres.query(stateQuery('postgres'))))
    const costOf = async (depth: number) => {
      const search = readSearch({ query: excluded(depth) })
      const { all } = planOf(search, { ...SCOPE, purgatory: [] }, 'postgres', generations)
      const { rows } = await postgres.query({ text: `EXPLAIN ${all.text}`, values: all.values })
      return Number(/cost=[\d.]+\.\.([\d.]+)/.exec(String(rows[0]?.['QUERY PLAN']))?.[1])
    }
    // PostgreSQL tells this cost of a plan before it runs, in units of its own
    expect(await costOf(7)).toBeLessThan(10 * (await costOf(1)))
  })

  it('with the values of the newest documents, if there are more than are aggregated', async () => {
    const documents = await put(changesOf(fc.sample(ASSET, { numRuns: 12, seed: 3 })))
    const search = readSearch({ aggs: { ...TAGS, total: { sum: { field: 'stats.orders' } } }, terminate_after: 3 })
    const newest = searchAll(documents, search, []).hits.slice(0, 3)
    const some = documents.filter(({ did }) => newest.some((hit) => hit.did === did))
    expect(documents.length).toBeGreaterThan(some.length)
    const { tags, total } = searchAll(some, search, []).aggregations as Record<string, object>
    const embedded = new Database(join(folder, DATABASE_FILE))
    for (const [dialect, ask] of asksOf(embedded)) {
      const generations = generationsIn(stateIn(await ask(stateQuery(dialect))))
      const { all } = planOf(search, { ...SCOPE, purgatory: [] }, dialect, generations)
      // listed once, and again for each aggregation
      for (const sent of [4, 3]) {
        const { aggregations } = await runScript(aggregated(search, all, dialect, sent), ask)
        expect(aggregations, dialect).toEqual({ tags: { ...tags, doc_count_error_upper_bound: -1 }, total })
      }
    }
    embedded.close()
  })

  it('with the same page if the index of numbers has the order of many hits', async () => {
    const embedded = new Database(join(folder, DATABASE_FILE))
    const SORT = fc.record({
      path: fc.constantFrom(
        'stats.orders',
        'nft.created',
        'metadata.rating',
        'metadata.name',
        'metadata.name',
        'metadata.name',
        'services.timeout',
        'no',
      ),
      order: fc.constantFrom('asc', 'desc'),
      missing: fc.constantFrom('_first', '_last'),
    })
    let [known, byName] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(NAMED, { minLength: 8, maxLength: 12 }),
        fc.array(fc.tuple(SORT, FIELDS, FRONT_END_TEXT, fc.nat(3), fc.integer({ min: 1, max: 6 }), fc.nat(3)), {
          minLength: 40,
          maxLength: 40,
        }),
        async (assets, searches) => {
          const documents = await put(changesOf(assets))
          for (const [{ path, ...how }, fields, text, from, size, few] of searches) {
            const query = few === 0 ? { query_string: { query: text, fields } } : { match_all: {} }
            const search = readSearch({ from, size, sort: [{ [path]: how }], query })
            const expected = searchAll(documents, search, []).hits.map(({ did }) => did)
            for (const [dialect, ask] of asksOf(embedded)) {
              const generations = generationsIn(stateIn(await ask(stateQuery(dialect))))
              const plan = planOf(search, { ...SCOPE, purgatory: [] }, dialect, generations)
              const dids = await runScript(sorted(plan, few, few), ask)
              if (dids) expect(dids, `${dialect}: ${path} ${JSON.stringify(how)}`).toEqual(expected)
              if (dids) known += 1
              if (dids && path === 'metadata.name') byName += 1
            }
          }
        },
      ),
      { numRuns: 12, endOnFailure: true },
    )
    embedded.close()
    expect(known).toBeGreaterThan(100)
    expect(byName).toBeGreaterThan(20)
  })

  it('where the list of purgatory is so long that a statement has room for it twice, not three times', async () => {
    const documents = await put(changesOf(fc.sample(ASSET, { numRuns: 10, seed: 7 })))
    const listed = Array.from({ length: 5000 }, (_, at) => `did:op:${at.toString(16).padStart(64, '0')}`)
    const length = JSON.stringify(listed).length
    expect(2 * length).toBeLessThan(CATALOG_LIMITS.search.statement)
    expect(3 * length).toBeGreaterThan(CATALOG_LIMITS.search.statement)
    const words = { query_string: { query: 't*', fields: ['metadata.name^10', 'metadata.description'] } }
    for (const size of [1, 3, 20]) {
      const search = readSearch({
        query: { bool: { must: [words], filter: { term: { 'purgatory.state': false } } } },
        size,
      })
      const expected = searchAll(documents, search, listed)
      expect(expected.hits.length).toBeGreaterThan(0)
      for (const [name, store] of stores) {
        const scope = { ...SCOPE, purgatory: listed }
        const { building: _building, assets: _assets, ...found } = await foundIn(store, search, scope)
        expect(found, name).toEqual(expected)
      }
    }
  })

  it.each([
    ['excludes', 2000, (lists: object[]) => ({ must_not: lists })],
    ['must have one of', 2000, (lists: object[]) => ({ filter: lists })],
    // there twice and more, for the score
    ['may have one of', 500, (lists: object[]) => ({ should: lists })],
    ['must have two of', 500, (lists: object[]) => ({ should: lists, minimum_should_match: 2 })],
  ])('where it %s four lists of values, each of %i', async (_, count, around) => {
    const documents = await put(changesOf(fc.sample(ASSET, { numRuns: 10, seed: 7 })))
    const values = (own: string) => [...Array.from({ length: count }, (_, at) => `${own} ${at}`), own]
    const lists = ['ocean', 'zebra', 'tide', '12'].map((own) => ({ terms: { 'metadata.tags': values(own) } }))
    for (const some of [lists, lists.slice(0, 1)]) {
      const search = readSearch({ query: { bool: around(some) } })
      const expected = searchAll(documents, search, [])
      for (const [name, store] of stores) {
        const {
          building: _building,
          assets: _assets,
          ...found
        } = await foundIn(store, search, { ...SCOPE, purgatory: [] })
        expect(found, name).toEqual(expected)
      }
    }
  })

  it('to 200 concurrent ones, or sheds load, while the rest of the store keeps working', async () => {
    const search = readSearch({ size: 50, query: { query_string: { query: 'tide OR ocean OR o*' } }, sort: ['_score'] })
    for (const [name, store] of stores) {
      const searches = Promise.allSettled(
        Array.from({ length: 200 }, () => store.search.find(search, { ...SCOPE, purgatory: [] })),
      )
      expect(await store.checkHealth(), name).toBeUndefined()
      const answers = await searches
      expect(answers.filter(({ status }) => status === 'fulfilled').length, name).toBeGreaterThan(0)
      for (const one of answers) if (one.status === 'rejected') expect(one.reason, name).toBeInstanceOf(SearchError)
      expect(await store.checkHealth(), name).toBeUndefined()
    }
  })
})
