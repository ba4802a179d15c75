import type Database from 'libsql'
import type { Query, Result, Value } from './sql.js'

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

/**
 * Runs `work` in a transaction. On a full disk SQLite rolls back by itself; the second rollback of the library would
 * fail and hide the original error.
 */
export function inTransaction<T>(db: Database.Database, mode: 'IMMEDIATE' | 'DEFERRED', work: () => T): T {
  db.exec(`BEGIN ${mode}`)
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Configures a connection for reading and writing. It syncs at every commit, so that commits survive power loss. */
export function configured(db: Database.Database): Database.Database {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  // page cache of 32 MiB (a negative size is in KiB), and a checkpoint every 4,000 WAL pages
  db.pragma('cache_size = -32768')
  db.pragma('wal_autocheckpoint = 4000')
  return db
}
