import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'libsql/promise'
import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../../bounds.js'
import type { Found, Scope, Search } from '../../search/syntax.js'
import type { Query, Result } from '../sql.js'
import { Answers, keyOf } from './answers.js'
import { Turns, tooSlow } from './turns.js'

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
 * Searches of an embedded database. Statements run on threads of the library, off the event loop, and are interrupted
 * at their deadline. Connections are opened by the first search.
 */
export class SqliteSearches {
  private readonly turns: Turns
  private readonly answers: Answers
  private readonly idle: Connection[] = []
  /** Functions that interrupt the running statements. */
  private readonly asking = new Set<() => void>()
  private closed = false

  /**
   * `meaning` classifies errors of the database; `read` runs a statement of a moment on the event loop, where the way to a
   * thread and back would take longer. `deadline`: milliseconds for a search.
   */
  constructor(
    private readonly path: string,
    private readonly meaning: (error: unknown) => Error,
    read: (query: Query) => Promise<Result>,
    deadline: number = BOUNDS.search.deadline,
  ) {
    this.answers = new Answers('sqlite', read)
    this.turns = new Turns(BOUNDS.search.connections, deadline)
  }

  /** Number of running statements. */
  get underWay(): number {
    return this.asking.size
  }

  /** Throws SearchError if a search times out or is unavailable, and ValidationError if it is too expensive. */
  find(search: Search, scope: Scope): Promise<Found> {
    const begun = performance.now()
    return this.answers.knownOr(keyOf(search, scope), () =>
      this.turns.run((end) => this.search(search, scope, end), begun),
    )
  }

  /** Interrupts running statements, and waits for their end. */
  async close(): Promise<void> {
    this.closed = true
    for (const interrupt of this.asking) interrupt()
    await this.turns.close()
    for (const { db } of this.idle.splice(0)) db.close()
  }

  private async search(search: Search, scope: Scope, end: number): Promise<Found> {
    const connection = await this.connection()
    const { begin, rollBack } = connection
    try {
      begin.run()
      try {
        return await this.answers.find(search, scope, (query) => this.ask(connection, query, end))
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
    if (left <= 0 || this.closed) throw tooSlow()
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
      throw (error as { code?: string }).code === 'SQLITE_INTERRUPT' ? tooSlow() : this.meaning(error)
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
