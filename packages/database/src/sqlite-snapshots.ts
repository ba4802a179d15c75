import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'libsql/promise'
import { LRUCache } from 'lru-cache'
import { DATABASE_LIMITS } from './limits.js'
import { type Ask, type Snapshots, SnapshotTimeout } from './snapshots.js'
import type { Query, Result } from './sql.js'

/** Snapshots at once: each has a connection of its own. */
const PLACES = DATABASE_LIMITS.snapshots.places

/** Rows to read before yielding to the event loop. */
const AT_ONCE = 500

/** Milliseconds between attempts to interrupt a statement: an interrupt has no effect before it has started. */
const AGAIN = 20

/** Prepared statements per connection: a search has six, and search terms are bound values. */
const KEPT = 100

type Statement = Awaited<ReturnType<Database['prepare']>>

/** A read-only connection, and the file that it has open. */
interface Connection {
  db: Database
  file: number
  /** A transaction that only reads begins and ends in a moment, on the event loop. */
  begin: Statement
  rollBack: Statement
  statements: LRUCache<string, Statement>
}

/**
 * Snapshots of an embedded database. Statements run on threads of the library, off the event loop, and are interrupted
 * at their deadline. Connections are opened when they are needed.
 */
export class SqliteSnapshots implements Snapshots {
  readonly places = PLACES
  readonly longest = Number.POSITIVE_INFINITY
  private readonly idle: Connection[] = []
  /** Functions that interrupt the running statements. */
  private readonly asking = new Set<() => void>()
  private readonly reading = new Set<Promise<unknown>>()
  private closed = false

  /** `meaning` classifies errors of the database. */
  constructor(
    private readonly path: string,
    private readonly meaning: (error: unknown) => Error,
  ) {}

  /** Number of running statements. */
  get underWay(): number {
    return this.asking.size
  }

  read<T>(end: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    const reading = this.snapshot(end, work).finally(() => this.reading.delete(reading))
    this.reading.add(reading)
    return reading
  }

  /** Interrupts running statements, and waits for their end. */
  async close(): Promise<void> {
    this.closed = true
    for (const interrupt of this.asking) interrupt()
    await Promise.allSettled(this.reading)
    for (const { db } of this.idle.splice(0)) db.close()
  }

  private async snapshot<T>(end: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    if (this.closed) throw new SnapshotTimeout()
    const connection = await this.connection()
    const { begin, rollBack } = connection
    try {
      begin.run()
      try {
        return await work((query) => this.ask(connection, query, end))
      } finally {
        rollBack.run()
      }
    } finally {
      this.idle.push(connection)
    }
  }

  /** A connection to the current file, which may have been replaced. */
  private async connection(): Promise<Connection> {
    try {
      const file = statSync(this.path).ino
      const idle = this.idle.pop()
      if (idle?.file === file) return idle
      idle?.db.close()
      const db = new Database(this.path, { timeout: 2000 })
      for (const pragma of ['query_only = ON', 'cache_size = -32768']) await db.exec(`PRAGMA ${pragma}`)
      const [begin, rollBack] = [await db.prepare('BEGIN'), await db.prepare('ROLLBACK')]
      return { db, file, begin, rollBack, statements: new LRUCache({ max: KEPT }) }
    } catch (error) {
      throw this.meaning(error)
    }
  }

  private async ask(connection: Connection, query: Query, end: number): Promise<Result> {
    const { db, statements } = connection
    const { text, values, isBrief } = query
    // all rows are found before the first one is returned, and so off the event loop
    const whole = isBrief ? text : `WITH found AS MATERIALIZED (${text}) SELECT * FROM found`
    const statement = statements.get(text) ?? (await db.prepare(whole))
    // returned to the cache once it has been read to its end
    statements.delete(text)
    const left = end - performance.now()
    if (left <= 0 || this.closed) throw new SnapshotTimeout()
    if (isBrief) return this.askAtOnce(connection, statement, query)
    let timer: NodeJS.Timeout
    const interrupt = () => {
      clearTimeout(timer)
      db.interrupt()
      timer = setTimeout(interrupt, AGAIN)
    }
    timer = setTimeout(interrupt, left)
    this.asking.add(interrupt)
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
