import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, MAX_TIMER } from '@tidegate/common'
import { StateError, UnstorableError } from '@tidegate/protocol'
import type pg from 'pg'
import { type DatabaseFault, FaultLog, type HealthCheckOptions, unavailable } from '../fault.js'
import { Leadership } from '../leadership.js'
import { DATABASE_LIMITS } from '../limits.js'
import { PROBE, probeWrites } from '../probe.js'
import { assertCurrent, type Schema, VERSIONS_TABLE, versionsFrom } from '../schema.js'
import { runScript } from '../script.js'
import { type Driver, numbered, type Query, type Result, type Script, type Value } from '../sql.js'
import { InUseError } from '../sqlite/sqlite-file.js'
import { migrate } from './migrate.js'
import { nameOf, PostgresSnapshots } from './postgres-snapshots.js'
import { publicError } from './public-error.js'
import { Servers } from './servers.js'
import { processOf } from './session.js'
import { Timeline } from './timeline.js'

export interface PostgresOptions {
  /** May name several hosts, separated by commas. The service uses the primary. */
  url: string
  /** Maximum connections of this instance. */
  connections: number
  /** Milliseconds for a connection, and for each statement. */
  timeout: number
  log?: Logger | undefined
  /** Uses the database exclusively. */
  exclusive?: boolean | undefined
  /** Name of the connections in the server's list of sessions. Default: tidegate. */
  name?: string | undefined
  /** Read-only: the database must have the schema of this version. */
  readOnly?: boolean | undefined
}

/** Rows per batch of a stream. */
const STREAM_BATCH = 1000

/**
 * Opens PostgreSQL, which any number of instances may share. The first one runs the migrations. Rejects with an Error
 * that does not quote the URL.
 */
export async function openPostgres(schema: Schema, options: PostgresOptions): Promise<Driver> {
  const driver = new PostgresDriver(schema, options)
  try {
    if (options.readOnly) await driver.assertSchema()
    else {
      await driver.leadership.takeIntoUse()
      await driver.migrate()
    }
  } catch (error) {
    await driver.close()
    throw error instanceof InUseError ? error : publicError(error, options.url)
  }
  return driver
}

class PostgresDriver implements Driver {
  readonly dialect = 'postgres'
  private readonly servers: Servers
  private readonly pool: pg.Pool
  private readonly timelines: Timeline
  /** Whether no server answered the last attempt to connect. */
  private isAway = false
  /** Attempts to get a connection. */
  private waiting = 0
  private readonly numberedTexts = new Map<string, string>()
  private readonly faults: FaultLog
  readonly leadership: Leadership
  readonly snapshots: PostgresSnapshots

  constructor(
    private readonly schema: Schema,
    options: PostgresOptions,
  ) {
    const { exclusive = false, log, url, timeout, name = 'tidegate', readOnly: isReadOnly = false } = options
    this.faults = new FaultLog(log)
    this.timelines = new Timeline(() => schema.afterPromotion?.() ?? [], log)
    this.servers = new Servers({
      ...{ url, timeout, connectTimeout: timeout, name, isReadOnly },
      ...(isReadOnly ? {} : { verify: (client) => this.timelines.verify(client) }),
    })
    this.pool = this.servers.pool(options.connections, DATABASE_LIMITS.connections.lifetime)
    this.snapshots = new PostgresSnapshots({
      ...options,
      connect: () => this.connect(),
      cancel: (client) => void this.cancel(client),
      guarded: (work) => this.guarded(work),
    })
    // the pool replaces an idle connection that breaks
    this.pool.on('error', () => undefined)
    this.leadership = new Leadership({ servers: this.servers, timeout: options.timeout, exclusive, log })
  }

  async migrate(): Promise<void> {
    const client = await this.pool.connect()
    try {
      await migrate(client, this.schema, this.timelines)
    } finally {
      // closes the connection, which releases the lock
      client.release(true)
    }
  }

  async assertSchema(): Promise<void> {
    // tries each server; the pool continues with the one that was found
    const client = await this.servers.connect()
    try {
      const { rows: found } = await client.query(`SELECT to_regclass('${VERSIONS_TABLE}') AS name`)
      if (found[0]?.name === null) throw new Error('it holds nothing yet: start this version of Tidegate on it first')
      const { rows } = await client.query(`SELECT owner, version FROM ${VERSIONS_TABLE}`)
      assertCurrent(versionsFrom(rows), this.schema)
    } finally {
      void client.end().catch(() => undefined)
    }
  }

  query(query: Query): Promise<Result> {
    return this.guarded(async () => {
      const client = await this.connect()
      try {
        const result = await this.run(client, query)
        client.release()
        return result
      } catch (error) {
        client.release(true)
        throw error
      }
    })
  }

  transact<T>(script: Script<T>): Promise<T> {
    return this.session((run) => runScript(script, run))
  }

  async session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T> {
    const client = await this.guarded(() => this.connect())
    try {
      await this.guarded(() => client.query('BEGIN'))
      const result = await work((query) => this.guarded(() => this.run(client, query)))
      await this.guarded(() => client.query('COMMIT'))
      client.release()
      return result
    } catch (error) {
      client.release(true) // closes the connection, which rolls back
      throw error
    }
  }

  /** Reads rows with a cursor, so that they are never all in memory. */
  async *stream({ text, values }: Query): AsyncGenerator<Result['rows'][number]> {
    const client = await this.guarded(() => this.connect())
    const ask = (text: string, values: Value[] = []) =>
      this.guarded(() => client.query({ text, values, query_timeout: MAX_TIMER } as pg.QueryConfig))
    try {
      await ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await ask('SET LOCAL statement_timeout = 0')
      // it locks nothing, and its reader may be slow
      await ask('SET LOCAL idle_in_transaction_session_timeout = 0')
      await ask(`DECLARE rows NO SCROLL CURSOR FOR ${this.numbered(text)}`, values)
      for (;;) {
        const { rows } = await ask(`FETCH ${STREAM_BATCH} FROM rows`)
        yield* rows as Result['rows']
        if (rows.length < STREAM_BATCH) return
      }
    } finally {
      client.release(true) // closes the connection, which ends the transaction at any cursor
    }
  }

  tryLead(task: string): Promise<boolean> {
    return this.guarded(() => this.leadership.lead(task))
  }

  async checkHealth({ thorough = false }: HealthCheckOptions = {}): Promise<DatabaseFault | undefined> {
    try {
      for (const query of thorough || this.faults.isProbeDue() ? probeWrites() : [PROBE]) await this.query(query)
    } catch {
      // guarded() has recorded it
    }
    return this.faults.current
  }

  get lastWrite(): number | undefined {
    return this.faults.lastWrite
  }

  async close(): Promise<void> {
    const ending = Promise.all([this.leadership.close(), this.pool.ended ? undefined : this.pool.end()])
    // a frozen connection never closes
    await Promise.race([ending, sleep(DATABASE_LIMITS.stop.grace, undefined, { ref: false })])
  }

  get timeline(): number | undefined {
    return this.timelines.current
  }

  /** Returns a connection to the primary. While no server answers, one request tries, and the others fail at once. */
  private async connect(): Promise<pg.PoolClient> {
    const { pool, timelines } = this
    if (this.isAway && this.waiting > 0 && pool.idleCount === 0) throw unavailable()
    this.waiting += 1
    try {
      for (;;) {
        const client = await pool.connect()
        if (timelines.isOver(client)) client.release(true)
        else {
          this.isAway = false
          return client
        }
      }
    } catch (error) {
      if (this.servers.rejected(error)) this.isAway = true
      throw error
    } finally {
      this.waiting -= 1
    }
  }

  /** Ends the running statement of a connection by another one: a pooler or TLS may be between, which a request to cancel lacks. */
  private async cancel(client: pg.PoolClient): Promise<void> {
    try {
      await this.pool.query('SELECT pg_cancel_backend($1)', [processOf(client)])
    } catch {
      // the server notices within a second
      ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
    }
  }

  private async run(client: pg.PoolClient, query: Query): Promise<Result> {
    const { text, values, isFixed } = query
    const name = isFixed ? { name: nameOf(text) } : {}
    const { rows, rowCount } = await client.query({ text: this.numbered(text), values, ...name })
    const result = { rows: rows as Record<string, Value>[], changes: rowCount ?? 0 }
    if (text.startsWith('SELECT')) return result
    if (this.timelines.isOver(client)) throw unavailable() // the present primary lacks the write
    if (query.isRepeatable) this.timelines.remember(query)
    this.faults.wrote()
    return result
  }

  /** Returns a statement with `$1`, `$2` … for its question marks. */
  private numbered(text: string): string {
    let cached = this.numberedTexts.get(text)
    if (cached === undefined) {
      cached = numbered(text)
      this.numberedTexts.set(text, cached)
    }
    return cached
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StateError) throw error // classified already
      if (isAboutData(error)) throw new UnstorableError()
      if (this.pool.ended) throw unavailable()
      throw this.faults.record(error)
    }
  }
}

/**
 * Whether an error is about the data (SQLSTATE classes 22, 23 and 54: data exception, integrity constraint, program
 * limit), and not about a full, locked, stopped or unreachable database.
 */
function isAboutData(error: unknown): boolean {
  return /^(22|23|54)[0-9A-Z]{3}$/.test(String((error as { code?: unknown } | null)?.code))
}
