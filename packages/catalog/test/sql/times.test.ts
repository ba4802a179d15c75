import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { startPostgres } from '../../../../test/helpers/postgres-database.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, postgresCatalog, sqliteCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const CREATED = '2031-05-17T14:26:38Z'

describe.each(['embedded', 'PostgreSQL'])('searches for times, in a database: %s', (kind) => {
  const plain = published(1, { name: 'tide', created: '2029-11-30T09:42:56.123Z' }, {}, CREATED)
  const numbered = published(
    2,
    { name: 'survey 2031 of 17 stations', description: `on 2031-05-17, until ${CREATED}` },
    {},
    CREATED,
  )
  const both = [plain.did, numbered.did].sort()
  let store: Catalog
  let folder: string | undefined
  beforeAll(async () => {
    if (kind === 'embedded') {
      folder = newFolder()
      store = sqliteCatalog(folder)
    } else {
      store = await postgresCatalog({ url: (await startPostgres()).url(), connections: 3, timeout: 60_000 })
    }
    const changes = [...plain.changes, ...numbered.changes]
    await store.index.commit({ chainId: CHAIN, from: undefined, to: { block: 1, hash: '0x1' }, changes })
  })
  afterAll(async () => {
    await store.close()
    if (folder) rmSync(folder, { recursive: true })
  })
  const found = async (query: object) => {
    const { hits } = await store.search.find(readSearch({ query }), SCOPE)
    return hits.map(({ did }) => did).sort()
  }

  it.each([
    '2031',
    '17',
    '20*',
    '203*',
    '"2031-05-17"',
  ])('does not take the digits of times for what is typed: %s', async (query) => {
    expect(await found({ query_string: { query } })).toEqual([numbered.did])
  })

  it('finds none by digits that are in times alone', async () => {
    for (const query of ['2029', '42', '14t26', '38z', '2029*', 'metadata.created:2029*'])
      expect(await found({ query_string: { query } })).toEqual([])
  })

  it.each<[string, object, string[]]>([
    ['as a whole', { term: { 'nft.created': CREATED } }, both],
    ['of a field', { match: { 'metadata.created': '2029-11-30T09:42:56.123Z' } }, [plain.did]],
    ['in a text', { match: { 'metadata.description': CREATED } }, [numbered.did]],
    ['in any field', { query_string: { query: `"${CREATED}"` } }, both],
    ['by their range', { range: { 'metadata.created': { gte: '2029-11-30', lt: '2029-12-01' } } }, [plain.did]],
  ])('finds times %s', async (_, query, dids) => {
    expect(await found(query)).toEqual(dids)
  })
})
