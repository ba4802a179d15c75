import { join } from 'node:path'
import Database from 'libsql'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { Address } from '../../../protocol/src/hex.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import { SearchBuilder } from '../../src/search/search-builder.js'
import { type Catalog, sqliteCatalog } from '../catalog.js'

const CHAIN = 7
const COUNT = 24
const SCOPE = { chains: [CHAIN], encrypted: true, purgatory: [] }
const at = (block: number) => ({ block, hash: '0x1' as const })
const nftOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as Address

function published(n: number, name: string): IndexChange[] {
  const nft = nftOf(n)
  const did = didOf(nft, CHAIN)
  const told = { state: 0, reason: null, encrypted: false, txId: '0x1', block: 1, from: nft, timestamp: 1 }
  const created = '2026-01-01T00:00:00Z'
  const metadata = { ...told, nft, did, ddo: JSON.stringify({ id: did, metadata: { name } }) }
  return [
    { kind: 'nft', nft: { address: nft, name: 'n', symbol: 's', tokenUri: '', owner: nft, created } },
    { kind: 'metadata', metadata: metadata as never },
  ]
}

describe('the parts of the full-text index of the embedded database', () => {
  let folder: string
  let store: Catalog
  let block = 0
  const commit = async (changes: IndexChange[]) => {
    const from = block > 0 ? at(block) : undefined
    block += 1
    expect(await store.index.commit({ chainId: CHAIN, from, to: at(block), changes, provisional: true })).toBe(true)
  }
  const found = async (words: string) => {
    const search = readSearch({ query: { match: { 'metadata.name': { query: words, operator: 'and' } } }, size: 100 })
    return (await store.search.find(search, SCOPE)).hits.map(({ did }) => did).sort()
  }
  /** Parts, each of which has an entry for each of its pages, the first of them for its first one. */
  const parts = () => {
    const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
    const { n } = db.prepare('SELECT count(DISTINCT segid) AS n FROM search_text_idx').get() as { n: number }
    db.close()
    return n
  }
  const mergeAll = async () => {
    while (await store.search.mergeSome());
  }
  const dids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => didOf(nftOf(from + n), CHAIN)).sort()

  beforeAll(async () => {
    folder = newFolder()
    store = sqliteCatalog(folder)
  })
  afterAll(() => store.close())

  it('are few once they have been merged, and nothing else is found by it', async () => {
    for (let n = 1; n <= COUNT; n++) await commit(published(n, `tide ${n}`))
    const before = parts()
    expect(before).toBeGreaterThan(4)
    await mergeAll()
    expect(parts()).toBeLessThan(before / 2)
    expect(await found('tide')).toEqual(dids(1, COUNT + 1))
    expect(await found('tide 7')).toEqual(dids(7, 8))
    // there is nothing left to do
    expect(await store.search.mergeSome()).toBe(false)
  })

  it('forget what was updated, revoked or taken back, merged or not', async () => {
    await commit(published(1, 'ebb 1'))
    await commit([{ kind: 'state', nft: nftOf(2), state: 3 }])
    const back = block
    await commit(published(3, 'ebb 3'))
    for (const merges of [false, true, true]) {
      if (merges) await mergeAll()
      expect(await found('tide')).toEqual(dids(4, COUNT + 1))
      expect(await found('ebb')).toEqual([didOf(nftOf(1), CHAIN), didOf(nftOf(3), CHAIN)].sort())
    }
    await store.index.rollback(CHAIN, at(back))
    block = back
    for (const merges of [false, true]) {
      if (merges) await mergeAll()
      expect(await found('tide')).toEqual(dids(3, COUNT + 1))
      expect(await found('ebb')).toEqual([didOf(nftOf(1), CHAIN)])
    }
  })

  it('are merged in the background of a service', async () => {
    for (let n = 100; n < 100 + COUNT; n++) await commit(published(n, `flood ${n}`))
    const before = parts()
    const builder = new SearchBuilder(store.search, pino({ level: 'silent' }))
    builder.start()
    try {
      await eventually(async () => parts() < before / 2)
    } finally {
      builder.stop()
    }
    expect(await found('flood')).toEqual(dids(100, 100 + COUNT))
  })
})
