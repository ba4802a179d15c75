import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { BOUNDS } from '../bounds.js'
import { StateError, UnstorableError } from '../errors.js'
import type { Logger } from '../logger.js'
import { Leadership, LOCK_SPACE } from './leadership.js'
import { migrationsFor } from './migrations/index.js'
import { played } from './script.js'
import { ANYTHING, type Driver, probe, type Query, type Result, type Script, type Value } from './sql.js'
import { sqlStore } from './sql-store.js'
import { InUseError } from './sqlite-file.js'
import type { Look, StateStore } from './store.js'
import { nameState } from './tables/identity.js'
import { type Trouble, Troubles, unavailable } from './trouble.js'

export interface PostgresOptions {
  url: string
  /** Most connections of this instance. */
  connections: number
  /** Milliseconds to connect, and for one statement. */
  timeout: number
  log?: Logger
  /** Nobody else may use it meanwhile. */
  alone?: boolean
}

/** The second of the two numbers that name this advisory lock. */
const MIGRATION_LOCK = 1

/** The store for several machines. Throws an Error that does not quote the URL. */
export async function openPostgresStore(options: PostgresOptions): Promise<StateStore> {
  return sqlStore(await openPostgres(options))
}

/** Any number of instances on one PostgreSQL. Migrations are run by whoever comes first. */
export async function openPostgres(options: PostgresOptions): Promise<Driver> {
  const driver = new PostgresDriver(options)
  try {
    await driver.leadership.takeIntoUse()
    await driver.migrate()
  } catch (error) {
    await driver.close()
    if (error instanceof InUseError) throw error
    throw Object.assign(new Error((error as { code?: string }).code ?? (error as Error).message), {
      code: (error as { code?: string }).code,
    })
  }
  return driver
}

/** Whole numbers of 64 bits as numbers: none here comes near 2^53. */
const TYPES = { getTypeParser: (id: number) => (id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id)) }

class PostgresDriver implements Driver {
  private readonly pool: pg.Pool
  private readonly texts = new Map<string, string>()
  private readonly troubles: Troubles
  readonly leadership: Leadership

  constructor(private readonly options: PostgresOptions) {
    this.troubles = new Troubles(options.log)
    this.pool = new pg.Pool({ ...this.connection(), max: options.connections })
    // a connection that breaks while idle is replaced when the next one is wanted
    this.pool.on('error', () => undefined)
    // the pool looks at it only while it is idle, and what has asked for one gets it a moment later
    this.pool.on('connect', (client) => client.on('error', () => undefined))
    const { alone = false, log } = options
    this.leadership = new Leadership({ connection: this.connection(), alone, log })
  }

  async migrate(): Promise<void> {
    const migrations = migrationsFor('postgres')
    const client = await this.pool.connect()
    try {
      await client.query('SELECT pg_advisory_lock($1, $2)', [LOCK_SPACE, MIGRATION_LOCK])
      await client.query('CREATE TABLE IF NOT EXISTS tidegate_schema (version BIGINT NOT NULL)')
      const version = Number((await client.query('SELECT version FROM tidegate_schema')).rows[0]?.version ?? 0)
      if (version > migrations.length) throw new Error('it was made by a newer version of Tidegate')
      await client.query('BEGIN')
      for (const step of migrations.slice(version)) await client.query(step)
      await client.query('DELETE FROM tidegate_schema')
      await client.query('INSERT INTO tidegate_schema (version) VALUES ($1)', [migrations.length])
      await this.run(client, nameState())
      await client.query('COMMIT')
    } finally {
      // gives the lock back with the connection
      client.release(true)
    }
  }

  query(query: Query): Promise<Result> {
    return this.guarded(() => this.run(this.pool, query))
  }

  transact<T>(script: Script<T>): Promise<T> {
    return this.session((run) => played(script, run))
  }

  async session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T> {
    const client = await this.guarded(() => this.pool.connect())
    try {
      await this.guarded(() => client.query('BEGIN'))
      const result = await work((query) => this.guarded(() => this.run(client, query)))
      await this.guarded(() => client.query('COMMIT'))
      client.release()
      return result
    } catch (error) {
      client.release(true) // and with the connection the transaction
      throw error
    }
  }

  lead(task: string): Promise<boolean> {
    return this.guarded(() => this.leadership.lead(task))
  }

  async trouble({ thorough = false }: Look = {}): Promise<Trouble | undefined> {
    try {
      for (const query of thorough || this.troubles.probes() ? probe() : [ANYTHING]) await this.query(query)
    } catch {
      // kept where it was noted
    }
    return this.troubles.current
  }

  async close(): Promise<void> {
    const ending = Promise.all([this.leadership.close(), this.pool.ended ? undefined : this.pool.end()])
    // a connection that is frozen does not say good-bye
    await Promise.race([ending, sleep(BOUNDS.stop.rest, undefined, { ref: false })])
  }

  private connection(): pg.ClientConfig {
    const { url, timeout } = this.options
    return {
      connectionString: url,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      statement_timeout: timeout,
      application_name: 'tidegate',
      keepAlive: true,
      types: TYPES as pg.CustomTypesConfig,
    }
  }

  private async run(client: pg.Pool | pg.PoolClient, { text, values }: Query): Promise<Result> {
    const { rows, rowCount } = await client.query({ text: this.numbered(text), values })
    if (this.troubles.current && !text.startsWith('SELECT')) this.troubles.worked()
    return { rows: rows as Record<string, Value>[], changes: rowCount ?? 0 }
  }

  /** The statement with $1, $2 … in place of the question marks. */
  private numbered(text: string): string {
    let known = this.texts.get(text)
    if (known === undefined) {
      let at = 0
      known = text.replace(/\?/g, () => `$${++at}`)
      this.texts.set(text, known)
    }
    return known
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StateError) throw error // judged already
      if (isAboutData(error)) throw new UnstorableError()
      if (this.pool.ended) throw unavailable()
      throw this.troubles.failed(error)
    }
  }
}

/**
 * Whether it is the data that cannot be stored (data exception, integrity, a limit of the program: classes 22, 23 and 54
 * of SQLSTATE), as against a database that is full, locked, stopped or gone.
 */
function isAboutData(error: unknown): boolean {
  return /^(22|23|54)[0-9A-Z]{3}$/.test(String((error as { code?: unknown } | null)?.code))
}
