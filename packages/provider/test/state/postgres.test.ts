import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { type StoreUnderTest, stateStoreSuite } from './store-suite.js'

let server: PostgresBackend
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.close())

async function admin(statement: string, url = server.url()): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** An empty database without a schema, whose collation does not sort by bytes. */
const EMPTY = `template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`

async function create(): Promise<StoreUnderTest & { url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await admin(`CREATE DATABASE ${name} TEMPLATE ${EMPTY}`)
  const url = server.url(name)
  return {
    url,
    open: () => openPostgresStore({ url, connections: 5, timeout: 60_000 }),
    destroy: () => admin(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

const EACH_TABLE = `FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO has_rows;`
/** Keeps the rows that a new database has. */
const KEEP = `CREATE SCHEMA made;
  DO $$ DECLARE name text; has_rows boolean; BEGIN ${EACH_TABLE}
    IF has_rows THEN EXECUTE format('CREATE TABLE made.%1$I AS TABLE %1$I', name); END IF;
  END LOOP; END $$`
/** Ends the sessions of a database, and gives its tables the rows of a new one. */
const RESTORE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid();
  DO $$ DECLARE name text; has_rows boolean; BEGIN ${EACH_TABLE}
    IF has_rows THEN EXECUTE format('TRUNCATE %I', name); END IF;
    IF to_regclass(format('made.%I', name)) IS NOT NULL THEN
      EXECUTE format('INSERT INTO %1$I SELECT * FROM made.%1$I', name);
    END IF;
  END LOOP; END $$`

/**
 * One database for the tests of the suite, which each leaves as it was made: to create and to drop one takes most of the
 * time of most tests.
 */
let shared: ReturnType<typeof migrated> | undefined

async function migrated() {
  const under = await create()
  await (await under.open()).close()
  await admin(KEEP, under.url)
  return under
}

stateStoreSuite('postgres', async () => {
  shared ??= migrated()
  const { open, url } = await shared
  return { open, destroy: () => admin(RESTORE, url) }
})

describe('postgres', () => {
  it('is migrated once by instances that start concurrently', async () => {
    const under = await create()
    const stores = await Promise.all(Array.from({ length: 8 }, () => under.open()))
    const results = await Promise.all(stores.map((store) => store.revocations.revoke('one', 1)))
    expect(results.filter(Boolean)).toHaveLength(1)
    await Promise.all(stores.map((store) => store.close()))
    await under.destroy()
  })

  it('is rejected when a newer version created it, without quoting its URL', async () => {
    const under = await create()
    await (await under.open()).close()
    const client = new pg.Client({ connectionString: under.url })
    await client.connect()
    await client.query('UPDATE tidegate_schema SET version = 99')
    await client.end()
    await expect(under.open()).rejects.toThrow(/^it was made by a newer version of Tidegate$/)
    await under.destroy()
    const wrong = openPostgresStore({ url: server.url().replace('secret', 'hunter2'), connections: 1, timeout: 2000 })
    await expect(wrong).rejects.toThrow(/^28P01$/)
  })

  it('may restart: queries fail meanwhile, and succeed afterwards without a restart of the service (threat 32)', async () => {
    const under = await create()
    const store = await under.open()
    const address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
    const other = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
    expect(await store.nonces.consume(address, '5')).toBe(true)
    expect(await store.index.tryLead(1)).toBe(true)
    const restarted = server.restart()
    let refused = 0
    let at = 0
    await eventually(async () => {
      // a new one each time: one that was used is refused without the database
      await store.nonces.consume(other, String(++at).padStart(9, '0')).catch((error) => {
        expect(error).toMatchObject({ code: 'STATE_UNAVAILABLE' })
        refused += 1
      })
      return refused > 0
    })
    await restarted
    await eventually(() => store.nonces.last(address).catch(() => undefined))
    expect(await store.nonces.last(address)).toBe('5')
    expect(await store.nonces.consume(address, '5')).toBe(false)
    expect(await store.nonces.consume(address, '6')).toBe(true)
    await eventually(() => store.index.tryLead(1).catch(() => false))
    await store.close()
    await under.destroy()
  })
})
