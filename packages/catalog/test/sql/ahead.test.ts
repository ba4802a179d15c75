import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { PostgresSnapshots } from '../../../database/src/postgres/postgres-snapshots.js'
import { TYPES } from '../../../database/src/postgres/servers.js'
import { runScript } from '../../../database/src/script.js'
import type { Query, Result } from '../../../database/src/sql.js'
import { ValidationError } from '../../../protocol/src/errors.js'
import { openPostgresStore } from '../../../provider/src/state/postgres.js'
import type { StateStore } from '../../../provider/src/state/stores.js'
import { readSearch } from '../../src/search/request/request.js'
import { find, type Seen } from '../../src/search/sql/find.js'
import { Searches } from '../../src/search/sql/searches.js'

const SCOPE = { chains: [7], encrypted: true, purgatory: [] }
const SEARCH = readSearch({ query: { match: { 'metadata.name': 'tide' } } })
const stateOf = (version: number, building = 0) => JSON.stringify([[7, 7, 'live', version, building]])
const seen = (state: string): Seen => ({ state, known: new Map() })

describe('the first statement of a search', () => {
  /** The statements of a search that finds nothing. */
  async function statements(state: string, seen?: Seen): Promise<Query[]> {
    const asked: Query[] = []
    const found = find(SEARCH, SCOPE, 'postgres', () => new Map(), seen)
    await runScript(found, async (query) => {
      asked.push(query)
      return { rows: query.text.includes('AS state') ? [{ state }] : [{ n: 0, did: null, up_to0: 0 }], changes: 0 }
    })
    return asked
  }

  it('names the one that follows while the index is in the state that was seen', async () => {
    const [first, second] = await statements(stateOf(1), seen(stateOf(1)))
    expect(first?.next).toBeDefined()
    expect(first?.next).toBe(second)
  })

  it('names one that does not follow where the index has changed', async () => {
    const asked = await statements(stateOf(2), seen(stateOf(1)))
    expect(asked[0]?.next).toBeDefined()
    expect(asked).not.toContain(asked[0]?.next)
    expect(asked).toHaveLength(2)
  })

  it('names none where nothing was seen, or documents were still being made findable', async () => {
    for (const before of [undefined, seen(stateOf(1, 1))])
      expect((await statements(stateOf(1), before))[0]?.next).toBeUndefined()
  })

  it('names none for a search that is refused, whatever the state', async () => {
    const word = (at: number) => ({ match: { 'metadata.name': { query: `tide${at}`, boost: 2 } } })
    const search = readSearch({ query: { bool: { should: Array.from({ length: 100 }, (_, at) => word(at)) } } })
    const found = find(search, SCOPE, 'postgres', () => new Map(), seen(stateOf(1)))
    expect(found.next().value).toMatchObject({ next: undefined })
    expect(() => found.next({ rows: [{ state: stateOf(1) }], changes: 0 })).toThrow(ValidationError)
  })
})

describe('PostgreSQL', () => {
  let server: PostgresBackend
  let store: StateStore
  let pool: pg.Pool
  beforeAll(async () => {
    server = await startPostgres()
    store = await openPostgresStore({ url: server.url(), connections: 2, timeout: 60_000 })
    pool = new pg.Pool({ connectionString: server.url(), max: 2, pipeline: true, types: TYPES as pg.CustomTypesConfig })
    await store.index.commit({ chainId: 7, from: undefined, to: { block: 1, hash: '0x1' }, changes: [] })
  })
  afterAll(async () => {
    await pool.end()
    await store.close()
  })
  /** Statements in the order in which they are sent and answered. */
  const log: string[] = []
  const searches = (timeout: number) => {
    const connect = async () => {
      const client = await pool.connect()
      const spied = (asked: string | { text: string }) => {
        const text = typeof asked === 'string' ? asked : asked.text
        const name = text.includes('BEGIN') ? 'state' : text.includes('hits') ? 'hits' : 'other'
        log.push(`${name} sent`)
        const result = client.query(asked as string)
        result.then(
          () => log.push(`${name} answered`),
          () => log.push(`${name} failed`),
        )
        return result
      }
      const { connection } = client as unknown as { connection: object }
      return { query: spied, connection, release: (error?: boolean) => client.release(error) }
    }
    const spied = connect as unknown as () => Promise<pg.PoolClient>
    const snapshots = new PostgresSnapshots({
      connect: spied,
      connections: 2,
      timeout,
      cancel: () => undefined,
      guarded: (work) => work(),
    })
    const query = async ({ text }: Query) => ({ rows: (await pool.query(text)).rows as Result['rows'], changes: 0 })
    return new Searches({ dialect: 'postgres', query, snapshots })
  }
  const variant = (size: number) => ({ ...SEARCH, size })
  const changed = () => pool.query('UPDATE index_reading SET version = version + 1')

  it('gets what probably follows together with the first statement, and uses it or finds anew', async () => {
    const several = searches(60_000)
    await several.find(variant(1), SCOPE)
    log.length = 0
    expect((await several.find(variant(2), SCOPE)).total?.value).toBe(0)
    expect(log.filter((line) => !line.startsWith('other')).slice(0, 3)).toEqual([
      'state sent',
      'hits sent',
      'state answered',
    ])
    expect(log.filter((line) => line === 'hits sent')).toHaveLength(1)
    await changed()
    log.length = 0
    expect((await several.find(variant(3), SCOPE)).total?.value).toBe(0)
    expect(log.filter((line) => line === 'hits sent')).toHaveLength(2)
  })

  it.each([
    false,
    true,
  ])('ends at the deadline when what was sent ahead waits, wanted or not (index changed: %s)', async (hasChanged) => {
    const several = searches(4000)
    await several.find(variant(1), SCOPE)
    if (hasChanged) await changed()
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('LOCK TABLE search_document IN ACCESS EXCLUSIVE MODE')
      log.length = 0
      await expect(several.find(variant(4), SCOPE)).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
      await eventually(() => log.includes('hits failed'))
    } finally {
      other.release(true)
    }
    expect((await several.find(variant(5), SCOPE)).total?.value).toBe(0)
  })
})
