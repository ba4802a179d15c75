import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { orderOf } from '../../../../test/helpers/orders.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { Query, Result } from '../../../database/src/sql.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { Cursor, IndexChange } from '../../src/index/index-store.js'
import { CATALOG_LIMITS } from '../../src/limits.js'
import { readSearch } from '../../src/search/request/request.js'
import { CachedSearches, resultKey } from '../../src/search/serving/cached-searches.js'
import { Searches } from '../../src/search/serving/searches.js'
import { LastStatistics } from '../../src/search/serving/statistics.js'
import type { Scope } from '../../src/search/syntax.js'
import { type Catalog, postgresCatalog, postgresDriver, sqliteCatalog, sqliteDriver } from '../catalog.js'

const CHAIN = 7
const SCOPE: Scope = { chains: [CHAIN], encrypted: true, purgatory: [] }
const NFT = `0x${'1'.repeat(40)}` as const
const TOKEN = `0x${'2'.repeat(40)}` as const
const DID = didOf(NFT, CHAIN)
const TIDE = readSearch({
  query: { match: { 'metadata.name': 'tide' } },
  aggs: { n: { sum: { field: 'stats.orders' } } },
})
const at = (block: number) => ({ block, hash: '0x1' as const })

function published(name: string): IndexChange[] {
  const metadata = { state: 0, reason: null, encrypted: false, txId: '0x1', block: 1, from: NFT, timestamp: 1 }
  const ddo = JSON.stringify({ id: DID, metadata: { name }, services: [{ id: 's', datatokenAddress: TOKEN }] })
  const nft = { address: NFT, name: 'n', symbol: 's', tokenUri: '', owner: NFT, created: '2026-01-01T00:00:00Z' }
  return [
    { kind: 'nft', nft },
    { kind: 'datatoken', datatoken: { address: TOKEN, nft: NFT, name: 't', symbol: 'T' } },
    { kind: 'metadata', metadata: { ...metadata, nft: NFT, did: DID, ddo } as never },
  ]
}

describe('what a search found before', () => {
  let folder: string
  let server: PostgresDatabase
  const stores: Record<string, Catalog> = {}
  beforeAll(async () => {
    folder = newFolder()
    server = await startPostgres()
    stores.postgres = await postgresCatalog({ url: server.url(), connections: 4, timeout: 60_000 })
    stores.sqlite = sqliteCatalog(folder)
  })
  afterAll(async () => {
    for (const store of Object.values(stores)) await store.close()
  })

  it.each(['sqlite', 'postgres'])('is never told once the index has changed: %s', async (database) => {
    const { index, search } = stores[database] as Catalog
    const told = async () => {
      // the second time it is known
      await search.find(TIDE, SCOPE)
      const { hits, assets, aggregations } = await search.find(TIDE, SCOPE)
      // the assets of another page are those of this one
      const other = await search.find({ ...TIDE, size: 5, sort: [] }, SCOPE)
      expect(other.assets).toEqual(assets)
      const metadata = assets.get(DID)?.metadata
      return { found: hits.length, name: metadata && JSON.parse(metadata.ddo ?? '').metadata.name, sum: aggregations.n }
    }
    const commit = (block: number, changes: IndexChange[]) =>
      index.commit({
        chainId: CHAIN,
        from: block > 1 ? at(block - 1) : undefined,
        to: at(block),
        changes,
        provisional: true,
      })
    const none = { found: 0, name: undefined, sum: { value: 0 } }

    expect(await told()).toEqual(none)
    await commit(1, published('tide'))
    expect(await told()).toEqual({ found: 1, name: 'tide', sum: { value: 0 } })
    await commit(2, published('tide tables'))
    expect(await told()).toMatchObject({ name: 'tide tables' })
    await commit(3, [orderOf(TOKEN)])
    expect(await told()).toMatchObject({ sum: { value: 1 } })
    await commit(4, [{ kind: 'state', nft: NFT, state: 3 }])
    expect(await told()).toEqual(none)
    await index.rollback(CHAIN, at(2))
    expect(await told()).toEqual({ found: 1, name: 'tide tables', sum: { value: 0 } })
    await index.begin(CHAIN, true)
    await index.next.commit({ chainId: CHAIN, from: undefined, to: at(3), changes: published('tide, read again') })
    expect(await told()).toMatchObject({ name: 'tide tables' })
    expect(await index.promote(CHAIN, at(3))).toBe(true)
    expect(await told()).toMatchObject({ found: 1, name: 'tide, read again' })
    while (await index.sweep(CHAIN));
    expect(await told()).toMatchObject({ found: 1, name: 'tide, read again' })
  })

  it.each([
    'sqlite',
    'postgres',
  ])('of statistics over many documents is shown for a while, beside current hits, while they are computed anew: %s', async (database) => {
    const { index } = stores[database] as Catalog
    const db = await (database === 'sqlite'
      ? sqliteDriver(folder)
      : postgresDriver({ url: server.url(), connections: 4, timeout: 60_000 }))
    const order = async () => {
      const from = (await index.cursor(CHAIN)) as Cursor
      const block = from.block + 1
      expect(
        await index.commit({ chainId: CHAIN, from, to: at(block), changes: [orderOf(TOKEN)], provisional: true }),
      ).toBe(true)
    }
    const ordersIn = async (searches: Searches, scope = SCOPE) => {
      const { hits, assets, aggregations } = await searches.find(TIDE, scope)
      return [assets.get(hits[0]?.did as string)?.datatokens[0]?.orders, (aggregations.n as { value: number }).value]
    }
    const searchesWith = (age: number, rest: number, many = 1) =>
      new Searches(db, 5000, new LastStatistics(many, { age, rest }))
    const [lasting, brief, few] = [searchesWith(60_000, 0), searchesWith(1, 0), searchesWith(60_000, 0, 2)]
    const [first] = await ordersIn(lasting)
    for (const one of [lasting, brief, few]) expect(await ordersIn(one)).toEqual([first, first])
    await order()
    const now = (first as number) + 1
    expect(await ordersIn(lasting)).toEqual([now, first])
    await eventually(async () => (await ordersIn(lasting))[1] === now)
    // of another scope, of few hits, and older than is shown
    expect(await ordersIn(few)).toEqual([now, now])
    expect(await ordersIn(brief)).toEqual([now, now])
    await order()
    expect(await ordersIn(lasting, { ...SCOPE, encrypted: false })).toEqual([now + 1, now + 1])
    // not before it has rested
    const resting = searchesWith(60_000, 1e9)
    expect(await ordersIn(resting)).toEqual([now + 1, now + 1])
    await order()
    for (let times = 0; times < 3; times++) expect(await ordersIn(resting)).toEqual([now + 2, now + 1])
    for (const one of [lasting, brief, few, resting]) await one.close()
    await db.close()
  })

  it.each(['sqlite', 'postgres'])('is served by services that are of its document: %s', async (database) => {
    const { index, search } = stores[database] as Catalog
    const [, , metadata] = published('gauge') as [IndexChange, IndexChange, IndexChange & { kind: 'metadata' }]
    const { block = 0 } = (await index.cursor(CHAIN)) ?? {}
    let last = block
    const commit = async (change: IndexChange) => {
      const from = (await index.cursor(CHAIN)) as Cursor
      last += 1
      expect(await index.commit({ chainId: CHAIN, from, to: at(last), changes: [change], provisional: true })).toBe(
        true,
      )
    }
    const servedBy = async () => {
      const { assets } = await search.find(readSearch({ query: { match: { 'metadata.name': 'gauge' } } }), SCOPE)
      return assets.get(DID)?.services
    }
    await commit({ ...metadata, services: '[["s","first"]]' })
    expect(await servedBy()).toBe('[["s","first"]]')
    await commit({ kind: 'state', nft: NFT, state: 5 })
    expect(await servedBy()).toBe('[["s","first"]]')
    await commit(metadata)
    expect(await servedBy()).toBeUndefined()
    await commit({ ...metadata, services: '[["s","last"]]' })
    expect(await servedBy()).toBe('[["s","last"]]')
    await index.rollback(CHAIN, at(last - 2))
    expect(await servedBy()).toBe('[["s","first"]]')
    // as the other tests expect it
    last -= 2
    await commit((published('tide, read again') as [IndexChange, IndexChange, IndexChange])[2])
  })

  describe('by the statements that it takes', () => {
    const asked: string[] = []
    let db: Database.Database
    beforeAll(() => {
      db = new Database(join(folder, DATABASE_FILE), { readonly: true })
    })
    afterAll(() => {
      db.close()
    })
    const once = async ({ text, values }: Query): Promise<Result> => {
      asked.push(text)
      return { rows: db.prepare(text).all(values) as Result['rows'], changes: 0 }
    }
    const statements = async (answers: CachedSearches, search = TIDE, scope = SCOPE) => {
      asked.length = 0
      await answers.cachedOr(resultKey(search, scope), undefined, () => answers.find(search, scope, once))
      return asked.length
    }

    it('is returned again after one query of the version of the index', async () => {
      const answers = new CachedSearches('sqlite', once)
      expect(await statements(answers)).toBeGreaterThan(3)
      expect(await statements(answers)).toBe(1)
      // whatever part of the documents is wanted
      expect(await statements(answers, { ...TIDE, source: { includes: ['id'], excludes: [] } })).toBe(1)
      expect(await statements(answers, { ...TIDE, from: 1 })).toBeGreaterThan(1)
      expect(await statements(answers, TIDE, { ...SCOPE, encrypted: false })).toBeGreaterThan(1)
    })

    it('is read once for several pages while the index is unchanged', async () => {
      const answers = new CachedSearches('sqlite', once)
      const read = async (search: typeof TIDE) => {
        asked.length = 0
        const found = await answers.find(search, SCOPE, once)
        return {
          did: found.assets.get(DID)?.metadata.did,
          times: asked.filter((text) => /index_asset/.test(text)).length,
        }
      }
      expect(await read(TIDE)).toEqual({ did: DID, times: 1 })
      expect(await read({ ...TIDE, size: 7 })).toEqual({ did: DID, times: 0 })
      // as `is never told once the index has changed` for what they hold
      const writer = new Database(join(folder, DATABASE_FILE))
      writer.exec('UPDATE index_reading SET version = version + 1')
      writer.close()
      expect(await read({ ...TIDE, size: 8 })).toEqual({ did: DID, times: 1 })
    })

    it('is found once for all who ask for the same at the same time, and told to each as of a moment after it asked', async () => {
      const answers = new CachedSearches('sqlite', once)
      asked.length = 0
      let left = 0
      const found = await Promise.all(
        Array.from({ length: 20 }, () =>
          answers.cachedOr(resultKey(TIDE, SCOPE), undefined, async () => {
            left += 1
            return answers.find(TIDE, SCOPE, once)
          }),
        ),
      )
      expect(left).toBe(1)
      expect(new Set(found.map(({ total }) => total?.value))).toEqual(new Set([1]))
      const first = asked.length
      // the state is read once for all of them, and once more for those who ask meanwhile
      const again = () => answers.cachedOr(resultKey(TIDE, SCOPE), undefined, async () => expect.unreachable())
      const some = Array.from({ length: 10 }, again)
      await Promise.resolve()
      await Promise.all([...some, ...Array.from({ length: 10 }, again)])
      expect(asked.length - first).toBeLessThanOrEqual(2)
    })

    it('is waited for by others than its client only once it has begun (threat 144)', async () => {
      const answers = new CachedSearches('sqlite', once)
      const key = resultKey(TIDE, SCOPE)
      let begin = () => {}
      let finish = () => {}
      const slow = new Promise<void>((resolve) => (finish = resolve))
      const first = answers.cachedOr(key, 'one', async (onBegin) => {
        begin = onBegin
        await slow
        return answers.find(TIDE, SCOPE, once)
      })
      const same = answers.cachedOr(key, 'one', async () => expect.unreachable())
      // another client does not wait in the queue of the first one
      const other = await answers.cachedOr(key, 'other', () => answers.find({ ...TIDE, size: 0 }, SCOPE, once))
      expect(other.hits).toEqual([])
      begin()
      const later = answers.cachedOr(key, 'other', async () => expect.unreachable())
      finish()
      for (const found of await Promise.all([first, same, later])) expect(found.total?.value).toBe(1)
    })

    it('is found again by each where the index has changed since, or the first one failed', async () => {
      const answers = new CachedSearches('sqlite', async () => ({ rows: [{ state: '[]' }], changes: 0 }))
      const find = () => answers.find(TIDE, SCOPE, once)
      const failing = answers.cachedOr(resultKey(TIDE, SCOPE), undefined, () =>
        Promise.reject(new Error('interrupted')),
      )
      const second = answers.cachedOr(resultKey(TIDE, SCOPE), undefined, find)
      await expect(failing).rejects.toThrow('interrupted')
      expect((await second).total?.value).toBe(1)
      // the state that is read is never that of what was found
      let searches = 0
      for (let at = 0; at < 2; at++)
        await answers.cachedOr(resultKey(TIDE, SCOPE), undefined, async () => {
          searches += 1
          return find()
        })
      expect(searches).toBe(2)
    })

    it('is kept for the same purgatory alone, if it depends on it', async () => {
      const answers = new CachedSearches('sqlite', once)
      const search = readSearch({ query: { term: { 'purgatory.state': false } } })
      expect(await statements(answers, search)).toBe(3)
      expect(await statements(answers, search)).toBe(1)
      const scope = { ...SCOPE, purgatory: [DID] }
      expect(await statements(answers, search, scope)).toBeGreaterThan(1)
      expect((await answers.find(search, scope, once)).hits).toEqual([])
    })

    it('is evicted where it takes more memory than its bound', async () => {
      const answers = new CachedSearches('sqlite', once)
      await statements(answers)
      const long = { op: 'or', of: ['x'.repeat(CATALOG_LIMITS.search.kept / 64)] }
      for (let from = 0; from < 65; from++)
        await statements(answers, { ...TIDE, query: { ...TIDE.query, long } as never, from })
      expect(await statements(answers)).toBeGreaterThan(1)
    })
  })
})
