import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'libsql/promise'
import { LRUCache } from 'lru-cache'
import { DATABASE_LIMITS } from '../limits.js'
import { type Ask, type Snapshots, SnapshotTimeout } from '../snapshots.js'
import type { Query, Result } from '../sql.js'

/** Concurrent snapshots. Each has a connection. */
const PLACES = DATABASE_LIMITS.snapshots.places

/** Rows per turn of the event loop. */
const AT_ONCE = 500

/** Milliseconds between interrupts: an interrupt has no effect before its statement starts. */
const AGAIN = 20

/** Prepared statements per connection. A search has six, with its terms as values. */
const KEPT = 100

type Statement = Awaited<ReturnType<Database['prepare']>>

/** What ends a snapshot: a deadline, as performance.now(), and a signal. */
interface Limits {
  end: number
  signal: AbortSignal | undefined
}

/** A read-only connection, and its open file. */
interface Connection {
  db: Database
  file: number
  /** Statement that begins the transaction, on the event loop, since it is quick. */
  begin: Statement
  rollBack: Statement
  statements: LRUCache<string, Statement>
}

/**
 * Snapshots of an embedded database. Threads of the library run the statements, which are interrupted at their deadline.
 * Connections are opened on demand.
 */
export class SqliteSnapshots implements Snapshots {
  readonly places = PLACES
  readonly longest = Number.POSITIVE_INFINITY
  private readonly idle: Connection[] = []
  /** Functions that interrupt running statements. */
  private readonly asking = new Set<() => void>()
  private readonly reading = new Set<Promise<unknown>>()
  private closed = false

  /** `meaning`: classifies errors of the database. */
  constructor(
    private readonly path: string,
    private readonly meaning: (error: unknown) => Error,
  ) {}

  /** Number of running statements. */
  get underWay(): number {
    return this.asking.size
  }

  read<T>(end: number, work: (ask: Ask) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const reading = this.snapshot({ end, signal }, work).finally(() => this.reading.delete(reading))
    this.reading.add(reading)
    return reading
  }

  /** Interrupts running statements and waits for their end. */
  async close(): Promise<void> {
    this.closed = true
    for (const interrupt of this.asking) interrupt()
    await Promise.allSettled(this.reading)
    for (const { db } of this.idle.splice(0)) db.close()
  }

  private async snapshot<T>(limits: Limits, work: (ask: Ask) => Promise<T>): Promise<T> {
    if (this.closed) throw new SnapshotTimeout()
    const connection = await this.connection()
    const { begin, rollBack } = connection
    try {
      begin.run()
      try {
        return await work((query) => this.ask(connection, query, limits))
      } finally {
        rollBack.run()
      }
    } finally {
      this.idle.push(connection)
    }
  }

  /** Returns a connection to the current file, which may have been replaced. */
  private async connection(): Promise<Connection> {
    try {
      const file = statSync(this.path).ino
      const idle = this.idle.pop()
      if (idle?.file === file) return idle
      idle?.db.close()
      const db = new Database(this.path, { timeout: DATABASE_LIMITS.locks.snapshot })
      // 16 MiB of pages: with 32, searches of a million assets pass 512 MiB per process
      for (const pragma of ['query_only = ON', 'cache_size = -16384']) await db.exec(`PRAGMA ${pragma}`)
      const [begin, rollBack] = [await db.prepare('BEGIN'), await db.prepare('ROLLBACK')]
      return { db, file, begin, rollBack, statements: new LRUCache({ max: KEPT }) }
    } catch (error) {
      throw this.meaning(error)
    }
  }

  private async ask(connection: Connection, query: Query, { end, signal }: Limits): Promise<Result> {
    const { db, statements } = connection
    const { text, values, isBrief } = query
    // MATERIALIZED: all rows are computed before the first, off the event loop
    const whole = isBrief ? text : `WITH found AS MATERIALIZED (${text}) SELECT * FROM found`
    const statement = statements.get(text) ?? (await db.prepare(whole))
    // returns to the cache after all rows are read
    statements.delete(text)
    const left = end - performance.now()
    if (left <= 0 || signal?.aborted || this.closed) throw new SnapshotTimeout()
    if (isBrief) return this.askAtOnce(connection, statement, query)
    let timer: NodeJS.Timeout
    const interrupt = () => {
      clearTimeout(timer)
      db.interrupt()
      timer = setTimeout(interrupt, AGAIN)
    }
    timer = setTimeout(interrupt, left)
    this.asking.add(interrupt)
    signal?.addEventListener('abort', interrupt)
    try {
      const rows: Result['rows'] = []
      for (const row of await statement.iterate(values)) {
        if (rows.push(row as Result['rows'][number]) % AT_ONCE === 0) await nextTurn()
      }
      statements.set(text, statement)
      return { rows, changes: 0 }
    } catch (error) {
      throw (error as { code?: string }).code === 'SQLITE_INTERRUPT' ? new SnapshotTimeout() : this.meaning(error)
    } finally {
      clearTimeout(timer)
      this.asking.delete(interrupt)
      signal?.removeEventListener('abort', interrupt)
    }
  }

  /** Runs a statement on the event loop. */
  private askAtOnce({ statements }: Connection, statement: Statement, { text, values }: Query): Result {
    try {
      const row = statement.get(values)
      statements.set(text, statement)
      return { rows: row ? [row] : [], changes: 0 }
    } catch (error) {
      throw this.meaning(error)
    }
  }
}
