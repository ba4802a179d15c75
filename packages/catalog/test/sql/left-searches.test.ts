import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, postgresCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

let server: PostgresDatabase
let store: Catalog
beforeAll(async () => {
  server = await startPostgres()
  store = await postgresCatalog({ url: server.url(), connections: 4, timeout: 600_000 })
  const to = { block: 1, hash: '0x1' as const }
  const { changes } = published(1, { name: 'tide' })
  await store.index.commit({ chainId: CHAIN, from: undefined, to, changes })
  while (await store.search.buildSome());
})
afterAll(() => store.close())

const IN_WAIT = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
/** Statements that wait for a lock, as a slow one would run. */
const waiting = async () => (await onPostgres(server.url(), IN_WAIT)).length

it('ends in the database when nobody waits for it, also in the queue, and others go on', async () => {
  const holder = new pg.Client({ connectionString: server.url() })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE index_reading')
  const left = new AbortController()
  const search = (at: number) => readSearch({ query: { match: { 'metadata.name': `tide ${at}` } } })
  // two take the places of searches, and four wait for theirs
  const searches = Array.from({ length: 6 }, (_, at) => store.search.find(search(at), SCOPE, { signal: left.signal }))
  const ended = Promise.allSettled(searches)
  await eventually(async () => (await waiting()) === 2)
  left.abort()
  expect((await ended).map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
  await eventually(async () => (await waiting()) === 0)
  await holder.query('ROLLBACK')
  await holder.end()
  expect((await store.search.find(search(0), SCOPE)).hits).toHaveLength(1)
})
