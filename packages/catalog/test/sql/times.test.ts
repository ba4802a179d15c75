import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { migrationsFor } from '../../../provider/src/state/migrations/index.js'
import { openPostgresStore } from '../../../provider/src/state/postgres.js'
import { openSqliteStore } from '../../../provider/src/state/sqlite.js'
import type { StateStore } from '../../../provider/src/state/stores.js'
import { readSearch } from '../../src/search/request/request.js'
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
  let store: StateStore
  let folder: string | undefined
  beforeAll(async () => {
    if (kind === 'embedded') {
      folder = newFolder()
      store = openSqliteStore(folder)
    } else {
      store = await openPostgresStore({ url: (await startPostgres()).url(), connections: 3, timeout: 60_000 })
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

  it('writes the documents of an earlier version anew', async () => {
    if (!folder) return
    await store.close()
    const file = new Database(join(folder, DATABASE_FILE))
    // the step that builds documents anew, and nothing else
    const step = migrationsFor('sqlite').findLast((text) => text.trim().startsWith('INSERT INTO search_pending'))
    file.exec(`DELETE FROM search_text; ${step}`)
    file.close()
    store = openSqliteStore(folder)
    expect(await found({ query_string: { query: 'survey' } })).toEqual([])
    while (await store.search.buildSome());
    expect(await found({ query_string: { query: 'survey' } })).toEqual([numbered.did])
  })
})
