import { join } from 'node:path'
import fc from 'fast-check'
import Database from 'libsql'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { orderOf } from '../../../../test/helpers/orders.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { runScript } from '../../../database/src/script.js'
import type { Dialect, Driver, Query, Result } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { stateIn, stateQuery } from '../../src/search/answer/find.js'
import { generationsIn } from '../../src/search/conditions/generations.js'
import { counted } from '../../src/search/hits/page.js'
import { byPrice } from '../../src/search/hits/price-order.js'
import { planOf } from '../../src/search/plan/plan.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, catalogOn, postgresDriver, sqliteCatalog } from '../catalog.js'
import { address, CHAIN } from './arbitraries.js'

const [PRICE, TOKEN] = ['stats.price.value', 'stats.price.tokenAddress']
const TOKENS = [1, 2, 3].map((at) => address(900 + at))
const SCOPE = { chains: [CHAIN], encrypted: true, purgatory: [] }
const AMOUNTS = ['0', '1', '2.5', '10']

const OFFER = fc.oneof(
  fc.record({ token: fc.constant(undefined), amount: fc.constant('0') }),
  fc.record({ token: fc.constantFrom(...TOKENS), amount: fc.constantFrom(...AMOUNTS) }),
  fc.constant(undefined),
)
const ASSET = fc.record({ offer: OFFER, word: fc.constantFrom('tide', 'ebb'), state: fc.constantFrom(0, 0, 5) })
interface Asset {
  at: number
  offer: { token: Address | undefined; amount: string } | undefined
  word: string
  state: 0 | 5
}

/** A filter: as a clause, and the same for an asset. */
interface Filter {
  clause: object
  meets(asset: Asset): boolean
}
const number = ({ offer }: Asset) => (offer ? Number(offer.amount) : Number.NaN)
const FILTER: fc.Arbitrary<Filter> = fc.oneof(
  fc.subarray(TOKENS, { minLength: 1, maxLength: 2 }).map((tokens) => ({
    clause: { terms: { [TOKEN]: tokens.map((one) => one.toLowerCase()) } },
    meets: ({ offer }: Asset) => offer?.token !== undefined && tokens.includes(offer.token),
  })),
  fc.constantFrom(...AMOUNTS).map((most) => ({
    clause: { range: { [PRICE]: { lte: Number(most) } } },
    meets: (asset: Asset) => number(asset) <= Number(most),
  })),
  fc.constantFrom(...AMOUNTS).map((least) => ({
    clause: { range: { [PRICE]: { gt: Number(least) } } },
    meets: (asset: Asset) => number(asset) > Number(least),
  })),
  fc.constantFrom(...AMOUNTS).map((amount) => ({
    clause: { term: { [`${PRICE}.keyword`]: amount } },
    meets: (asset: Asset) => number(asset) === Number(amount),
  })),
  fc.constant({ clause: { exists: { field: PRICE } }, meets: ({ offer }: Asset) => offer !== undefined }),
  fc.constant({ clause: { match: { 'metadata.name': 'tide' } }, meets: ({ word }: Asset) => word === 'tide' }),
  fc.constant({ clause: { range: { 'stats.orders': { gte: 1 } } }, meets: ({ at }: Asset) => at % 2 === 1 }),
)
const not = ({ clause, meets }: Filter): Filter => ({
  clause: { bool: { must_not: [clause] } },
  meets: (asset) => !meets(asset),
})
const either = (of: Filter[]): Filter => ({
  clause: { bool: { should: of.map(({ clause }) => clause) } },
  meets: (asset) => of.some(({ meets }) => meets(asset)),
})
const LISTED: Filter = { clause: { term: { 'nft.state': 0 } }, meets: ({ state }) => state === 0 }
const FILTERS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: FILTER },
    { weight: 2, arbitrary: FILTER.map(not) },
    fc.constantFrom(LISTED, not(LISTED)),
    fc.tuple(FILTER, FILTER).map(either),
  ),
  { maxLength: 4 },
)
const SORT = fc.option(
  fc.record({ order: fc.constantFrom('asc', 'desc'), missing: fc.constantFrom('_first', '_last') }),
  {
    nil: undefined,
  },
)

/** The order of prices: free assets, then those of each token; reversed within these if descending. The newest first. */
function compared(a: Asset, b: Asset, sort: { order: string; missing: string } | undefined): number {
  const newest = b.at - a.at
  if (!sort) return newest
  const direction = sort.order === 'desc' ? -1 : 1
  const rank = ({ offer }: Asset) => (offer ? (offer.token ? 1 : 0) * direction : sort.missing === '_first' ? -2 : 2)
  const token = ({ offer }: Asset) => offer?.token ?? ''
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (token(a) !== token(b)) return token(a) < token(b) ? -1 : 1
  return (a.offer && b.offer ? (number(a) - number(b)) * direction : 0) || newest
}

function changesOf({ at, offer, word, state }: Asset): IndexChange[] {
  const [nft, datatoken] = [address(at), address(1000 + at)]
  const did = didOf(nft, CHAIN)
  const ddo = JSON.stringify({
    id: did,
    metadata: { name: word },
    services: [{ id: 'a', datatokenAddress: datatoken }],
  })
  const event = { txId: '0x1', block: 1, from: nft, timestamp: 1 } as const
  const created = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString()
  const exchangeId = `0x${String(at).padStart(64, '0')}` as const
  const kind = offer?.token
    ? ({ type: 'fixedrate', token: offer.token, exchangeId } as const)
    : ({ type: 'dispenser' } as const)
  const place = { contract: address(800), datatoken, block: 1, log: at }
  return [
    { kind: 'nft', nft: { address: nft, name: 'n', symbol: 's', tokenUri: '', owner: nft, created } },
    { kind: 'datatoken', datatoken: { address: datatoken, nft, name: 'd', symbol: 'd' } },
    { kind: 'metadata', metadata: { nft, did, state, ddo, reason: null, encrypted: false, ...event } },
    ...(at % 2 === 1 ? [orderOf(datatoken)] : []),
    ...(offer ? [{ kind: 'offer', offer: { ...kind, ...place, price: offer.amount } } as const] : []),
  ]
}

describe('prices', () => {
  let server: PostgresDatabase
  let postgres: Driver
  const folder = newFolder()
  const stores: [name: string, store: Catalog][] = []

  beforeAll(async () => {
    server = await startPostgres()
    postgres = await postgresDriver({ url: server.url(), connections: 5, timeout: 20_000 })
    stores.push(['embedded', sqliteCatalog(folder)], ['PostgreSQL', catalogOn(postgres)])
  })
  afterAll(async () => {
    for (const [, store] of stores) await store.close()
  })

  let block = 0
  async function put(assets: Asset[]): Promise<void> {
    const to = { block: ++block, hash: '0xaa' as const }
    const changes = assets.flatMap(changesOf)
    for (const [, { index }] of stores) {
      if ((await index.generations(CHAIN)).live) {
        await index.begin(CHAIN, true)
        expect(await index.next.commit({ chainId: CHAIN, from: undefined, to, changes })).toBe(true)
        expect(await index.promote(CHAIN, to)).toBe(true)
        // with and without rows of an old generation
        if (block % 2 === 0) while (await index.sweep(CHAIN));
      } else expect(await index.commit({ chainId: CHAIN, from: undefined, to, changes })).toBe(true)
    }
  }

  it('are found and sorted as in a full scan, on both databases, however many documents are looked up one by one', async () => {
    const embedded = new Database(join(folder, DATABASE_FILE))
    const asks: [Dialect, (query: Query) => Promise<Result>][] = [
      ['sqlite', async ({ text, values }) => ({ rows: embedded.prepare(text).all(values), changes: 0 }) as Result],
      ['postgres', postgres.query.bind(postgres)],
    ]
    const SEARCH = fc.tuple(FILTERS, SORT, fc.nat(4), fc.integer({ min: 1, max: 8 }), fc.constantFrom(1, 3, 2048))
    await fc.assert(
      fc.asyncProperty(
        fc.array(ASSET, { minLength: 8, maxLength: 30 }),
        fc.array(SEARCH, { minLength: 40, maxLength: 40 }),
        async (some, searches) => {
          const assets = some.map((asset, at) => ({ ...asset, at }))
          await put(assets)
          for (const [filters, sort, from, size, steps] of searches) {
            const query = { bool: { filter: filters.map(({ clause }) => clause) } }
            const search = readSearch({ query, from, size, sort: sort ? { [PRICE]: sort } : { 'nft.created': 'desc' } })
            const hits = assets.filter((asset) => filters.every(({ meets }) => meets(asset)))
            const expected = hits
              .sort((a, b) => compared(a, b, sort))
              .slice(from, from + size)
              .map(({ at }) => didOf(address(at), CHAIN))
            for (const [name, store] of stores) {
              const { hits: found, total } = await store.search.find(search, SCOPE)
              expect(
                found.map(({ did }) => did),
                `${name}: ${JSON.stringify(query)} ${JSON.stringify(sort)}`,
              ).toEqual(expected)
              expect(total, `${name}: ${JSON.stringify(query)}`).toEqual({ value: hits.length, relation: 'eq' })
            }
            const [key] = search.sort
            if (!sort || !key) continue
            for (const [dialect, ask] of asks) {
              const generations = generationsIn(stateIn(await ask(stateQuery(dialect))))
              for (const pricesOfEach of [false, true]) {
                const plan = planOf(search, SCOPE, dialect, generations, pricesOfEach)
                expect(await runScript(counted(plan.all, 100), ask)).toBe(hits.length)
                const dids = await runScript(byPrice(plan, key, steps), ask)
                expect(dids, `${dialect}: ${JSON.stringify(query)} ${JSON.stringify(sort)}`).toEqual(expected)
              }
            }
          }
        },
      ),
      { numRuns: Number(process.env.SEARCH_RUNS ?? 8), endOnFailure: true },
    )
    embedded.close()
  })

  it('and their tokens are aggregated, and sorted by', async () => {
    const offers = [undefined, { token: undefined, amount: '0' }, ...TOKENS.map((token) => ({ token, amount: '2.5' }))]
    await put(offers.map((offer, at) => ({ offer, at, word: 'tide', state: 0 })))
    const terms = (field: string) => ({ terms: { field } })
    const search = readSearch({
      sort: { [TOKEN]: 'desc' },
      aggs: {
        tokens: { ...terms(TOKEN), aggs: { prices: terms(PRICE) } },
        prices: terms(PRICE),
        sum: { sum: { field: PRICE } },
      },
    })
    const bucket = (key: unknown, count: number) => expect.objectContaining({ key, doc_count: count })
    for (const [name, store] of stores) {
      const { hits, aggregations } = await store.search.find(search, {
        chains: [CHAIN],
        encrypted: true,
        purgatory: [],
      })
      expect(
        hits.map(({ did }) => did),
        name,
      ).toEqual([4, 3, 2, 1, 0].map((at) => didOf(address(at), CHAIN)))
      expect(aggregations, name).toMatchObject({
        tokens: { buckets: TOKENS.map((token) => ({ key: token, prices: { buckets: [bucket(2.5, 1)] } })) },
        prices: { buckets: [bucket(2.5, 3), bucket(0, 1)] },
        sum: { value: 7.5 },
      })
    }
  })
})
