import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { didOf } from '../../src/assets/ddo.js'
import { BOUNDS } from '../../src/bounds.js'
import { ProviderError, SearchError } from '../../src/errors.js'
import { type Searchable, searchable } from '../../src/search/document.js'
import { stateIn, stateQuery } from '../../src/search/find.js'
import { gathered } from '../../src/search/gather.js'
import { generationsIn } from '../../src/search/generations.js'
import { planOf } from '../../src/search/plan.js'
import { readSearch } from '../../src/search/request.js'
import { openPostgres } from '../../src/state/postgres.js'
import { runScript } from '../../src/state/script.js'
import type { Driver } from '../../src/state/sql.js'
import { sqlStore } from '../../src/state/sql-store.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { IndexChange, StateStore } from '../../src/state/store.js'
import { type PostgresBackend, startPostgres } from '../helpers/backends.js'
import { searchAll } from './reference.js'

const CHAIN = 7
const SCOPE = { chains: [CHAIN], encrypted: true }
const WORDS = [
  'ocean',
  'Tide',
  'données',
  'DONNEES',
  '海洋',
  'covid-19',
  'zebra',
  'ze',
  '12',
  'a b',
  "o'neil",
  '😀',
  'ß',
  'İ',
]
const SOURCE_WORDS = fc.constantFrom(...WORDS)
const TEXT = fc.array(SOURCE_WORDS, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const address = (at: number) => `0x${String(at + 1).padStart(40, '0')}` as Address
const iso = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`

const METADATA = fc.record(
  {
    name: TEXT,
    description: TEXT,
    type: fc.constantFrom('dataset', 'algorithm'),
    tags: fc.array(SOURCE_WORDS, { maxLength: 3 }),
    updated: fc.integer({ min: 1, max: 5 }).map(iso),
    odd: fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      SOURCE_WORDS,
      fc.boolean(),
      fc.constant('2026-01-03'),
      fc.constant(0.1),
    ),
    long: fc.constantFrom('x'.repeat(300), 'tide '.repeat(300), '\0', "'; DROP TABLE search_document; --"),
  },
  { requiredKeys: ['name', 'type'] },
)
const ASSET = fc.record({
  metadata: METADATA,
  day: fc.integer({ min: 1, max: 4 }),
  orders: fc.integer({ min: 0, max: 3 }),
  state: fc.constantFrom(0, 0, 0, 5, 3),
})

const PATH = fc.constantFrom(
  'metadata.name',
  'metadata.description',
  'metadata.tags',
  'metadata.type',
  'metadata.odd',
  'metadata.updated',
  'metadata.long',
  'metadata',
  'id',
  'nft.created',
  'nft.state',
  'stats.orders',
  'indexedMetadata.stats.orders',
  'indexedMetadata.nft.name',
  'chainId',
  'services.files',
  'services.timeout',
  'datatokens.name',
  'purgatory.state',
  'nowhere',
  '__proto__',
  "x' OR 1=1",
)
const FIELD = fc.oneof(
  { weight: 3, arbitrary: PATH },
  PATH.map((path) => `${path}.keyword`),
)
const VALUE = fc.oneof(
  SOURCE_WORDS,
  fc.constantFrom('dataset', 'true', 'false', 'x'.repeat(300), iso(2), '"', "'", ''),
  fc.integer({ min: -1, max: 8 }),
  fc.boolean(),
  fc.integer({ min: 0, max: 9 }).map((at) => didOf(address(at), CHAIN)),
)
const WEIGHTED = fc.tuple(PATH, fc.constantFrom('', '^2', '^0.5', '^10', '^0')).map(([path, weight]) => path + weight)
const FIELDS = fc.array(fc.oneof(WEIGHTED, fc.constant('*')), { minLength: 1, maxLength: 3 })
const LEAST = fc.constantFrom(1, 2, -1, '75%', '2<75%', '-25%', '1<-1 3<50%')
const BOOST = fc.constantFrom(1, 2, 0.3, 0)
const OPERATOR = fc.constantFrom('and', 'or', 'AND')
const STRING = fc
  .array(
    fc.oneof(
      SOURCE_WORDS,
      SOURCE_WORDS.map((word) => `${word}*`),
      TEXT.map((text) => `"${text}"`),
      fc.constantFrom('AND', 'OR', 'NOT', '*', '-', '+ocean', '-tide', 'tide^3', '\\*'),
      SOURCE_WORDS.map((word) => `(${word} OR NOT ocean)`),
      fc.tuple(PATH, SOURCE_WORDS).map(([path, word]) => `${path}:${word}`),
      fc.tuple(PATH, SOURCE_WORDS).map(([path, word]) => `${path.replace(/[ :']/g, '')}:(${word} tide*)`),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(' '))

const { clause } = fc.letrec<{ clause: object }>((tie) => {
  const some = fc.array(tie('clause'), { maxLength: 3 })
  return {
    clause: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({ match_all: {} }, { match_none: {} }),
      fc
        .tuple(FIELD, TEXT, OPERATOR, BOOST)
        .map(([path, query, operator, boost]) => ({ match: { [path]: { query, operator, boost } } })),
      fc
        .tuple(FIELD, TEXT, LEAST)
        .map(([path, query, rule]) => ({ match: { [path]: { query, minimum_should_match: rule } } })),
      fc.tuple(FIELD, TEXT).map(([path, query]) => ({ match_phrase: { [path]: query } })),
      fc
        .tuple(FIELDS, TEXT, fc.constantFrom('best_fields', 'phrase'), OPERATOR)
        .map(([fields, query, type, operator]) => ({ multi_match: { query, fields, type, operator } })),
      fc.tuple(FIELDS, STRING, OPERATOR, BOOST).map(([fields, query, default_operator, boost]) => ({
        query_string: { query, fields, default_operator, boost },
      })),
      fc.tuple(STRING, LEAST).map(([query, rule]) => ({ query_string: { query, minimum_should_match: rule } })),
      fc.tuple(FIELD, VALUE, BOOST).map(([path, value, boost]) => ({ term: { [path]: { value, boost } } })),
      fc.tuple(FIELD, fc.array(VALUE, { maxLength: 4 })).map(([path, values]) => ({ terms: { [path]: values } })),
      FIELD.map((field) => ({ exists: { field } })),
      fc
        .array(fc.integer({ min: 0, max: 20 }), { maxLength: 4 })
        .map((list) => ({ ids: { values: list.map((at) => didOf(address(at), CHAIN)) } })),
      fc
        .tuple(
          PATH,
          fc.constantFrom('gt', 'gte'),
          fc.constantFrom('lt', 'lte'),
          fc.constantFrom(0, 1, 0.1, iso(3), '2026-01-02', 2e12),
        )
        .map(([path, gt, lt, end]) => ({
          range: { [path]: { [gt]: end === 2e12 ? 0 : end, [lt]: end === 0 ? 3 : 2e12 } },
        })),
      fc
        .record(
          { must: some, filter: some, should: some, must_not: some, minimum_should_match: LEAST, boost: BOOST },
          { requiredKeys: [] },
        )
        .map((body) => ({ bool: body })),
    ),
  }
})
const SORT = fc.array(
  fc.oneof(
    fc
      .tuple(FIELD, fc.constantFrom('asc', 'desc'), fc.constantFrom('_first', '_last'))
      .map(([path, order, missing]) => ({ [path]: { order, missing } })),
    fc.constantFrom('_score', { _score: 'asc' }, { 'nft.created': 'desc' }),
  ),
  { maxLength: 2 },
)
const TERMS = fc
  .tuple(
    FIELD,
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom('_count', '_key', 'sales'),
    fc.constantFrom('asc', 'desc'),
    FIELD,
  )
  .map(([field, size, by, order, inner]) => ({
    terms: { field, size, order: { [by]: order } },
    aggs: { sales: { sum: { field: 'stats.orders' } }, inner: { terms: { field: inner, size: 2 } } },
  }))
const BODY = fc.record(
  {
    query: clause,
    sort: SORT,
    from: fc.integer({ min: 0, max: 3 }),
    size: fc.integer({ min: 0, max: 20 }),
    aggs: fc.record({ keys: TERMS, total: fc.constant({ sum: { field: 'stats.orders' } }) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['query'] },
)

/** The index changes that a chain with these assets would cause. */
function changesOf(assets: (typeof ASSET extends fc.Arbitrary<infer T> ? T : never)[]): IndexChange[] {
  return assets.flatMap(({ metadata, day, orders, state }, at): IndexChange[] => {
    const [nft, datatoken] = [address(at), address(1000 + at)]
    const did = didOf(nft, CHAIN)
    const services = [{ id: 'a', type: 'access', files: '0xsecret', datatokenAddress: datatoken, timeout: at % 2 }]
    const ddo = JSON.stringify({
      id: did,
      version: '4.1.0',
      chainId: CHAIN + (at % 2),
      nftAddress: nft,
      metadata,
      services,
    })
    const event = { txId: '0x1', block: 1, from: nft, timestamp: 1 } as const
    return [
      {
        kind: 'nft',
        nft: { address: nft, name: `Nft ${at}`, symbol: 'N', tokenUri: '', owner: nft, created: iso(day) },
      },
      { kind: 'datatoken', datatoken: { address: datatoken, nft, name: 'Data Token', symbol: 'D' } },
      { kind: 'metadata', metadata: { nft, did, state, ddo, reason: null, encrypted: at % 3 === 0, ...event } },
      ...Array.from({ length: orders }, () => ({ kind: 'order', datatoken }) as const),
    ]
  })
}

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
const TAGS = { tags: { terms: { field: 'metadata.tags.keyword' } } }

describe('a search answers the same everywhere', () => {
  let server: PostgresBackend | undefined
  let folder: string
  let postgres: Driver
  const stores: [name: string, store: StateStore][] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    stores.push(['embedded', openSqliteStore(folder)])
    server = await startPostgres()
    const name = `test_${randomBytes(8).toString('hex')}`
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    // a collation that does not sort by bytes
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`)
    await admin.end()
    postgres = await openPostgres({ url: server.url(name), connections: 5, timeout: 20_000 })
    stores.push(['PostgreSQL', sqlStore(postgres)])
  })
  afterAll(async () => {
    for (const [, store] of stores) await store.close()
    await server?.close()
    rmSync(folder, { recursive: true })
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
            for (const [name, { search: store }] of stores) {
              const { building: _, assets, ...found } = await store.find(search, { ...SCOPE, encrypted, purgatory })
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
  ][])('however deeply clauses are nested: %s', async (_, around, most = BOUNDS.search.depth) => {
    const documents = await put(changesOf(fc.sample(ASSET, { numRuns: 10, seed: 7 })))
    const nested = (depth: number): object => (depth === 0 ? SOME : { bool: around(nested(depth - 1)) })
    for (const sort of [['_score'], [{ 'nft.created': 'desc' }]]) {
      const search = readSearch({ query: deepest(nested, most), sort, aggs: TAGS })
      const expected = searchAll(documents, search, [])
      for (const [name, { search: store }] of stores) {
        const { building: _building, assets: _assets, ...found } = await store.find(search, { ...SCOPE, purgatory: [] })
        expect(found, name).toEqual(expected)
      }
    }
  })

  it('with the same page and number of hits where more are found than are gathered at once', async () => {
    const { query } = postgres
    const ask = query.bind(postgres)
    let [known, left] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(ASSET, { minLength: 8, maxLength: 12 }),
        fc.array(fc.tuple(FIELDS, TEXT, fc.nat(3), fc.integer({ min: 1, max: 6 })), { minLength: 20, maxLength: 20 }),
        fc.record({ counted: fc.integer({ min: 1, max: 12 }), greater: fc.integer({ min: 1, max: 6 }) }),
        async (assets, texts, limits) => {
          const documents = await put(changesOf(assets))
          const generations = generationsIn(stateIn(await ask(stateQuery('postgres'))))
          for (const [fields, query, from, size] of texts) {
            const search = readSearch({
              from,
              size,
              query: { query_string: { query: query.replace(/\W/gu, ' '), fields } },
            })
            const plan = planOf(search, { ...SCOPE, purgatory: [] }, 'postgres', generations)
            if (plan.score.parts.length > 3) continue
            const expected = searchAll(documents, search, [])
            const { n, hits } = await runScript(gathered(plan, limits), ask)
            expect(n).toBe(Math.min(expected.total.value, limits.counted + 1))
            if (hits) expect(hits.map(({ did }) => did)).toEqual(expected.hits.map(({ did }) => did))
            // if no limit is met, all is known
            else expect(expected.total.value).toBeGreaterThan(Math.min(limits.counted, limits.greater))
            if (hits) known += 1
            else left += 1
          }
        },
      ),
      { numRuns: 6, endOnFailure: true },
    )
    expect(known).toBeGreaterThan(0)
    expect(left).toBeGreaterThan(0)
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
