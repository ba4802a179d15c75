import type Database from 'libsql'
import { DATABASE_LIMITS } from '../limits.js'
import type { Query, Result, Value } from '../sql.js'

type Row = Record<string, Value>

interface Prepared {
  statement: Database.Statement
  hasRows: boolean
  writes: boolean
  /** Column names of a single row. It is read as a list, because the library is slow to build objects. */
  columns: string[]
}

/** The prepared statements of an SQLite database. */
export class Statements {
  /**
   * By text, separately for single rows and lists: in this library, a statement that was read as a list keeps its bound
   * values, and would use them for a single row.
   */
  private readonly prepared = { single: new Map<string, Prepared>(), list: new Map<string, Prepared>() }

  constructor(private readonly db: Database.Database) {}

  prepare({ text, single }: Query): Prepared {
    const cache = single ? this.prepared.single : this.prepared.list
    let prepared = cache.get(text)
    if (!prepared) {
      const reads = /^\s*SELECT/i.test(text)
      const statement = this.db.prepare(text)
      const hasRows = reads || /\bRETURNING\b/i.test(text)
      const asList = single && hasRows
      if (asList) statement.raw(true)
      const columns = asList ? statement.columns().map(({ name }) => name) : []
      prepared = { statement, hasRows, writes: !reads, columns }
      cache.set(text, prepared)
    }
    return prepared
  }

  run(query: Query): Result {
    const { values } = query
    const { statement, hasRows, columns } = this.prepare(query)
    if (!hasRows) return { rows: [], changes: statement.run(values).changes }
    if (columns.length === 0) return { rows: statement.all(values) as Row[], changes: 0 }
    const list = statement.get(values) as Value[] | undefined
    if (!list) return { rows: [], changes: 0 }
    const row: Row = {}
    for (let at = 0; at < columns.length; at++) row[columns[at] as string] = list[at] as Value
    return { rows: [row], changes: 0 }
  }
}

export const { statement: LOCK_WAIT } = DATABASE_LIMITS.locks

/** Runs `work` in a transaction. */
export function inTransaction<T>(db: Database.Database, mode: 'IMMEDIATE' | 'DEFERRED', work: () => T): T {
  db.exec(`BEGIN ${mode}`)
  return completed(db, work)
}

/**
 * Begins a write transaction. Returns false if another connection has the write lock. Never blocks: SQLite would sleep
 * for up to 100 ms between attempts, and lose the lock to a busier process each time.
 *
 * @throws if the lock is taken at the last attempt
 */
export function tryLock(db: Database.Database, isLast: boolean): boolean {
  try {
    db.exec(`PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = ${LOCK_WAIT}`)
    return true
  } catch (error) {
    db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT}`)
    if (isLast || !String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
    return false
  }
}

/**
 * Runs `work` in the transaction that has begun, and commits it. On a full disk SQLite rolls back by itself; the second
 * rollback of the library would fail and hide the original error.
 */
export function completed<T>(db: Database.Database, work: () => T): T {
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Moves all commits from the log into the database file, and syncs it. Returns false at once if a reader needs the log. */
export function emptyLog(db: Database.Database): boolean {
  db.exec('PRAGMA busy_timeout = 0')
  try {
    const [{ busy } = {}] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy?: number }[]
    return busy === 0
  } finally {
    db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT}`)
  }
}

/** Configures a connection for reading and writing. Commits are durable after `LogSync.sync`. */
export function configured(db: Database.Database): Database.Database {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  // page cache of 32 MiB (a negative size is in KiB), and a checkpoint every 4,000 WAL pages
  db.pragma('cache_size = -32768')
  db.pragma('wal_autocheckpoint = 4000')
  return db
}
