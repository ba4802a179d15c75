import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, postgresCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const COUNT = 60
const KINDS = ['dataset', 'dataset', 'algorithm', 'Dataset', ['dataset', 'algorithm'], undefined]
const TIDE = readSearch({ query: { match: { 'metadata.name': 'tide' } }, size: 100 })

const changesOf = (at: number): IndexChange[] =>
  published(at, { name: `tide ${at}`, type: KINDS[at % KINDS.length] }).changes

describe('the full-text index of PostgreSQL', () => {
  let server: PostgresDatabase
  let client: pg.Client
  let store: Catalog
  const open = () => postgresCatalog({ url: server.url(), connections: 4, timeout: 60_000 })
  const found = async (search = TIDE) => (await store.search.find(search, SCOPE)).hits.map(({ did }) => did)
  const slices = async () => {
    const { rows } = await client.query('SELECT slice, count(*) AS n FROM search_text GROUP BY slice ORDER BY slice')
    return rows.map(({ slice, n }): [number, number] => [slice, Number(n)])
  }
  beforeAll(async () => {
    server = await startPostgres()
    client = new pg.Client(server.url())
    await client.connect()
    store = await open()
    const changes = Array.from({ length: COUNT }, (_, at) => changesOf(at + 1)).flat()
    await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
  })
  afterAll(async () => {
    await store.close()
    await client.end()
  })

  it('has documents in all of its slices', async () => {
    expect((await slices()).map(([slice]) => slice)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await found()).toHaveLength(COUNT)
  })

  it('has room for a document of long words in another script', async () => {
    // 4,000 words of 12 characters, each of which has 7 in a token
    const word = (at: number) => `${'ᐁ'.repeat(10)}${String.fromCodePoint(0x1401 + (at >> 6), 0x1401 + (at & 63))}`
    const description = Array.from({ length: 4000 }, (_, at) => word(at)).join(' ')
    const type = `dataset algorithm ${'dataset algorithm other '.repeat(60)}`
    const { did, changes } = published(999, { name: 'ebb', description, type })
    const from = { block: 1, hash: '0x1' } as const
    expect(await store.index.commit({ chainId: CHAIN, from, to: { block: 2, hash: '0x2' }, changes })).toBe(true)
    const fields = ['metadata.name^10', 'metadata.description', 'metadata.author', 'metadata.tags']
    for (const kind of ['dataset', 'algorithm', 'other'])
      for (const query of ['ebb', word(0), word(1000)]) {
        const filter = [{ term: { 'metadata.type': kind } }]
        const search = readSearch({ query: { bool: { must: [{ query_string: { query, fields } }], filter } } })
        expect(await found(search), `${query} ${kind}`).toEqual([did])
      }
  })

  it('uses an index of each slice for a word', async () => {
    const { rows } = await client
      .query("SET enable_seqscan = off; EXPLAIN SELECT id FROM search_text WHERE tsv @@ 'atide'::tsquery LIMIT 10")
      .then((results) => (results as unknown as pg.QueryResult[])[1] as pg.QueryResult)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan.match(/Bitmap Index Scan/g)).toHaveLength(8)
  })
})
