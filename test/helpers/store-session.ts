import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { PostgresOptions } from '../../packages/database/src/postgres/postgres.js'
import { atEnd, newFolder } from './cleanup.js'
import { type PostgresDatabase, startPostgres } from './postgres-database.js'

interface Closable {
  close(): Promise<void>
}

/** A database for one test, and how to open it. */
export interface StoreUnderTest<Store> {
  /** Opens the same data repeatedly: after a `close`, like a restart, and concurrently, like a second instance. */
  open(): Promise<Store>
  /** Removes the data. */
  destroy(): Promise<void>
}

export const ALICE = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
export const BOB = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'

/** An empty database for each test of a suite, and the open instances on it. */
export class StoreSession<Store extends Closable> {
  #database: StoreUnderTest<Store> | undefined
  #instances: Store[] = []

  constructor(create: () => Promise<StoreUnderTest<Store>>) {
    beforeEach(async () => {
      this.#database = await create()
      await this.open()
    })
    afterEach(async () => {
      await Promise.all(this.#instances.splice(0).map((instance) => instance.close()))
      await this.#database?.destroy()
    })
  }

  /** The first instance. */
  get store(): Store {
    const [store] = this.#instances
    if (!store) throw new Error('no store is open outside of a test')
    return store
  }

  /** Opens one more instance, which is closed after the test. */
  async open(): Promise<Store> {
    if (!this.#database) throw new Error('there is no database outside of a test')
    const instance = await this.#database.open()
    this.#instances.push(instance)
    return instance
  }

  /** Closes an instance before the test ends. */
  async close(instance: Store): Promise<void> {
    this.#instances = this.#instances.filter((open) => open !== instance)
    await instance.close()
  }

  /** Restarts the service: closes every instance and opens one. */
  async restart(): Promise<void> {
    await Promise.all(this.#instances.splice(0).map((instance) => instance.close()))
    await this.open()
  }
}

/** How the stores under test are opened on each database. */
export interface Openers<Store> {
  sqlite(folder: string): Store
  postgres(options: PostgresOptions): Promise<Store>
}

/** Runs a suite of stores on both databases. Each test begins with an empty one. */
export function onEachDatabase<Store extends Closable>(
  openers: Openers<Store>,
  suite: (session: StoreSession<Store>) => void,
): void {
  describe('sqlite', () => suite(new StoreSession(async () => emptySqlite(openers.sqlite))))
  describe('postgres', () => {
    let server: PostgresDatabase
    beforeAll(async () => {
      server = await startPostgres()
    })
    suite(new StoreSession(emptiedAfterEach(() => emptyPostgres(server, openers.postgres))))
  })
}

/**
 * Returns what gives each test of a suite the same PostgreSQL database, which is empty again after each: creating one takes
 * longer than most tests.
 */
export function emptiedAfterEach<Store extends Closable>(
  create: () => Promise<StoreUnderTest<Store> & { url: string }>,
): () => Promise<StoreUnderTest<Store>> {
  const made = async () => {
    const { open, url, destroy } = await create()
    atEnd(destroy)
    await (await open()).close()
    // whatever the defaults of the database are
    const options = '-c search_path=public -c default_transaction_read_only=off'
    const admin = new pg.Client({ connectionString: url, options })
    await admin.connect()
    atEnd(() => admin.end())
    await admin.query(KEEP)
    return { open, destroy: async () => void (await admin.query(RESTORE)) }
  }
  let shared: ReturnType<typeof made> | undefined
  return () => {
    shared ??= made()
    return shared
  }
}

function emptySqlite<Store>(open: Openers<Store>['sqlite']): StoreUnderTest<Store> {
  const path = newFolder()
  return {
    open: async () => open(path),
    destroy: async () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Settings that a role, a database or a provider of PostgreSQL may have instead of its own defaults. */
export const OTHER_DEFAULTS = {
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  statement_timeout: '1min',
  lock_timeout: '1min',
  idle_in_transaction_session_timeout: '1min',
  idle_session_timeout: '1min',
  search_path: '',
  TimeZone: 'Pacific/Chatham',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  synchronous_commit: 'off',
  gin_fuzzy_search_limit: '1',
  transform_null_equals: 'on',
  client_encoding: 'LATIN1',
  application_name: 'other',
}

/** Gives a database other defaults for the settings of all its sessions. */
export async function setDefaults(url: string, settings: Record<string, string>): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN READ WRITE')
  for (const [setting, value] of Object.entries(settings))
    await client.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`)
  await client.query('COMMIT')
  await client.end()
}

/** Creates an empty database without a schema, whose collation does not sort by bytes. */
export async function emptyPostgres<Store>(
  server: Pick<PostgresDatabase, 'url'>,
  open: Openers<Store>['postgres'],
): Promise<StoreUnderTest<Store> & { url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(
    server.url(),
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'`,
  )
  const url = server.url(name)
  return {
    url,
    open: () => open({ url, connections: 5, timeout: 60_000 }),
    destroy: () => execute(server.url(), `DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
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
    -- a few rows are sooner deleted than the files of a table and its indexes are made anew
    IF has_rows AND pg_table_size(name::regclass) > 65536 THEN EXECUTE format('TRUNCATE %I', name);
    ELSIF has_rows THEN EXECUTE format('DELETE FROM %I', name); END IF;
    IF to_regclass(format('made.%I', name)) IS NOT NULL THEN
      EXECUTE format('INSERT INTO %1$I SELECT * FROM made.%1$I', name);
    END IF;
  END LOOP; END $$`
