import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { orderOf } from '../../../../test/helpers/orders.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { Driver, Query, Result, Script } from '../../../database/src/sql.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, catalogOn, postgresDriver, sqliteDriver } from '../catalog.js'

const CHAIN = 7
const NFT = `0x${'1'.repeat(40)}` as Address
const TOKENS = ['2', '3', '4'].map((digit) => `0x${digit.repeat(40)}` as Address)
const DID = didOf(NFT, CHAIN)
const SCOPE = { chains: [CHAIN], encrypted: true, purgatory: [] }
const at = (block: number) => ({ block, hash: '0x1' as const })

/** An asset with three services, each with its own datatoken. */
function published(description: string): IndexChange[] {
  const services = TOKENS.map((datatokenAddress, at) => ({ id: `s${at}`, datatokenAddress }))
  const ddo = JSON.stringify({ id: DID, metadata: { name: 'tide', description }, services })
  const event = { state: 0, reason: null, encrypted: false, txId: '0x1', block: 1, from: NFT, timestamp: 1 } as const
  const nft = { address: NFT, name: 'n', symbol: 's', tokenUri: '', owner: NFT, created: '2026-01-01T00:00:00Z' }
  return [
    { kind: 'nft', nft },
    ...TOKENS.map(
      (address) => ({ kind: 'datatoken', datatoken: { address, nft: NFT, name: 't', symbol: 'T' } }) as const,
    ),
    { kind: 'metadata', metadata: { ...event, nft: NFT, did: DID, ddo } },
  ]
}
const order = (at: number): IndexChange => orderOf(TOKENS[at] as Address)

/** A database that records the statements of transactions, and the rows that they write. */
function recorded(db: Driver) {
  const written: { text: string; changes: number }[] = []
  const transact = <T>(script: Script<T>) =>
    db.transact(
      (function* (): Script<T> {
        let next = script.next()
        while (!next.done) {
          const query: Query = next.value
          const result: Result = yield query
          if (!query.text.startsWith('SELECT') && result.changes > 0)
            written.push({ text: query.text, changes: result.changes })
          next = script.next(result)
        }
        return next.value
      })(),
    )
  return { written, driver: new Proxy(db, { get: (of, name) => (name === 'transact' ? transact : bound(of, name)) }) }
}

function bound(of: Driver, name: string | symbol): unknown {
  const value = Reflect.get(of, name)
  return typeof value === 'function' ? value.bind(of) : value
}

describe.each(['embedded', 'PostgreSQL'])('orders of an asset in the search index: %s', (kind) => {
  const folder = newFolder()
  let server: PostgresDatabase | undefined
  let db: Driver
  let store: Catalog
  let written: { text: string; changes: number }[]
  beforeAll(async () => {
    if (kind === 'PostgreSQL') server = await startPostgres()
    db = server ? await postgresDriver({ url: server.url(), connections: 4, timeout: 60_000 }) : sqliteDriver(folder)
    const recording = recorded(db)
    written = recording.written
    store = catalogOn(recording.driver)
  })
  afterAll(() => store.close())

  let block = 0
  async function commit(changes: IndexChange[]): Promise<void> {
    written.length = 0
    const from = block > 0 ? at(block) : undefined
    expect(await store.index.commit({ chainId: CHAIN, from, to: at(++block), changes, provisional: true })).toBe(true)
  }
  const count = async (query: object) => (await store.search.find(readSearch({ query }), SCOPE)).total?.value
  const term = (path: string, value: number) => count({ term: { [path]: value } })

  it('are found at once, and cost a few rows whatever the size of its document', async () => {
    await commit(published('word '.repeat(20_000)))
    expect(await term('stats.orders', 0)).toBe(1)
    expect(await term('indexedMetadata.stats.orders', 0)).toBe(1)
    await commit([order(0)])
    const rows = () => written.reduce((sum, { changes }) => sum + changes, 0)
    expect(rows(), JSON.stringify(written)).toBeLessThanOrEqual(8)
    expect(written.filter(({ text }) => /(?:INTO|UPDATE|DELETE FROM) search_(?:text|document)/.test(text))).toEqual([])
    await commit([order(0), order(1)])
    expect(rows(), JSON.stringify(written)).toBeLessThanOrEqual(11)

    expect(await term('stats.orders', 3)).toBe(1)
    expect(await term('stats.orders.keyword', 3)).toBe(1)
    expect(await count({ range: { 'stats.orders': { gt: 2, lte: 3 } } })).toBe(1)
    expect(await count({ query_string: { query: 'stats.orders:3' } })).toBe(1)
    expect(await count({ query_string: { query: 'stats.orders:3*' } })).toBe(0)
    expect(await count({ exists: { field: 'stats.orders' } })).toBe(1)
    for (const gone of [0, 1, 2]) expect(await term('stats.orders', gone)).toBe(0)
    // of all services together
    expect(await term('indexedMetadata.stats.orders', 3)).toBe(1)
    for (const orders of [0, 1, 2]) expect(await term('indexedMetadata.stats.orders', orders)).toBe(0)
  })

  it('are not words of the document', async () => {
    expect(await count({ query_string: { query: '3' } })).toBe(0)
    expect(await count({ query_string: { query: 'tide' } })).toBe(1)
  })

  it('are the sum of services with as many, under both names, as clients add them up', async () => {
    await commit([order(1), order(2), order(2)])
    for (const field of ['stats.orders', 'indexedMetadata.stats.orders']) {
      const { aggregations } = await store.search.find(readSearch({ aggs: { n: { sum: { field } } } }), SCOPE)
      expect(aggregations.n).toEqual({ value: 6 })
    }
    const { rows } = await db.query({ text: 'SELECT count(*) AS n FROM search_value WHERE num = 6', values: [] })
    expect(rows).toEqual([{ n: 1 }])
    await store.index.rollback(CHAIN, at(1))
    block = 1
    expect(await term('stats.orders', 0)).toBe(1)
    expect(await term('indexedMetadata.stats.orders', 6)).toBe(0)
  })

  it('without offers, as an earlier version wrote them, are rebuilt, and served without prices meanwhile', async () => {
    const offersOf = async () => {
      const { assets } = await store.search.find(readSearch({}), SCOPE)
      return [(await store.index.asset(DID))?.offers, assets.get(DID)?.offers]
    }
    expect(await offersOf()).toEqual([new Map(), new Map()])
    await db.query({ text: 'UPDATE index_cursor SET format_mark = NULL', values: [] })
    await db.query({ text: 'UPDATE index_reading SET version = version + 1', values: [] })
    expect((await store.index.generations(CHAIN)).live).toMatchObject({ isOutdated: true })
    expect(await offersOf()).toEqual([undefined, undefined])
  })

  it('leave the words of documents that an earlier version has written, which are found meanwhile', async () => {
    // as that version wrote them: the number in the full-text index, and its value with another position
    await db.query({
      text: 'INSERT INTO search_pending (chain_id, nft, findable) VALUES (?, ?, 1)',
      values: [CHAIN, NFT],
    })
    await db.query({ text: 'UPDATE search_value SET n = 17 WHERE num = 0 AND txt IS NULL AND n = 0', values: [] })
    expect(await term('stats.orders', 0)).toBe(1)
    await commit([order(0)])
    expect(await term('stats.orders', 1)).toBe(1)
    while (await store.search.buildSome());
    expect(await term('stats.orders', 1)).toBe(1)
    expect(await count({ query_string: { query: 'tide' } })).toBe(1)
  })
})
