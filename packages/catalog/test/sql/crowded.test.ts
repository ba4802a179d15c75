import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, postgresCatalog, sqliteCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const letters = (...codes: number[]) => String.fromCodePoint(...codes)

const short = (at: number) => published(at, { name: 'short', type: 'dataset' }).changes
const long = (at: number) => published(at, { name: 'long', description: `tide ${at} `.repeat(20_000) }).changes

describe.each(['embedded', 'PostgreSQL'])('the search index after crowded blocks: %s', (kind) => {
  const folder = newFolder()
  let server: PostgresDatabase | undefined
  let store: Catalog
  let block = 0
  beforeAll(async () => {
    if (kind === 'PostgreSQL') server = await startPostgres()
    store = server
      ? await postgresCatalog({ url: server.url(), connections: 3, timeout: 60_000 })
      : sqliteCatalog(folder)
  })
  afterAll(() => store.close())

  const commit = async (changes: IndexChange[]) => {
    const from = block === 0 ? undefined : { block, hash: '0x1' as const }
    const to = { block: ++block, hash: '0x1' as const }
    expect(await store.index.commit({ chainId: CHAIN, from, to, changes })).toBe(true)
  }
  const found = async (name: string) => {
    const search = readSearch({ query: { match: { 'metadata.name': name } }, size: 100 })
    return (await store.search.find(search, SCOPE)).hits.length
  }

  it('has short documents before the long ones that were published with them (threat 90)', async () => {
    await commit([...many(30, (at) => long(at + 1)), ...many(10, (at) => short(at + 100))].flat())
    expect(await found('long')).toBeLessThan(15)
    expect(await found('short')).toBe(0)
    await store.search.buildSome()
    expect(await found('short')).toBe(10)
    expect(await found('long')).toBeLessThan(15)
    while (await store.search.buildSome());
    expect(await found('long')).toBe(30)
  })

  it.each([
    ['wide words', many(2000, (at) => `${'ж'.repeat(126)}${letters(0x430 + (at & 31), 0x430 + (at >> 5))}`).join(' ')],
    [
      'marked letters',
      many(4000, (at) => letters(0xe01 + (at % 40), 0xe31, 0xe34 + ((at >> 3) % 6), 0xe47, 0xe48)).join(''),
    ],
    ['ideographs', many(4000, (at) => letters(0x4e00 + at)).join('')],
  ])('finds a document whose words take much room by the others: %s (threat 90)', async (name, description) => {
    await commit(published(200 + block, { name, description, tags: ['harbour'] }).changes)
    while (await store.search.buildSome());
    expect(await found(name)).toBe(1)
  })
})
