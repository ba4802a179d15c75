import type Database from 'libsql'
import type { Query, Result, Value } from './sql.js'

type Row = Record<string, Value>

interface Prepared {
  statement: Database.Statement
  hasRows: boolean
  writes: boolean
}

/** The prepared statements of an SQLite database, and how their results are read. */
export class Statements {
  /**
   * By their text. A statement is only ever read in one way: in this library one that was read to its end as a list
   * keeps what was bound to it, and then answers for that when asked for a single row.
   */
  private readonly prepared = { single: new Map<string, Prepared>(), list: new Map<string, Prepared>() }

  constructor(private readonly db: Database.Database) {}

  prepare({ text, single }: Query): Prepared {
    const known = single ? this.prepared.single : this.prepared.list
    let prepared = known.get(text)
    if (!prepared) {
      const reads = /^\s*SELECT/i.test(text)
      prepared = {
        statement: this.db.prepare(text),
        hasRows: reads || /\bRETURNING\b/i.test(text),
        writes: !reads,
      }
      known.set(text, prepared)
    }
    return prepared
  }

  run(query: Query): Result {
    const { values, single } = query
    const { statement, hasRows } = this.prepare(query)
    if (!hasRows) return { rows: [], changes: statement.run(values).changes }
    if (!single) return { rows: statement.all(values) as Row[], changes: 0 }
    const row = statement.get(values) as (Row & { _metadata?: unknown }) | undefined
    if (!row) return { rows: [], changes: 0 }
    const { _metadata, ...columns } = row // how long it took, which the library adds
    return { rows: [columns], changes: 0 }
  }
}

/**
 * Does a piece of work in a transaction. A full disk has ended it by itself when it fails: to roll that back again, as
 * the library does, would fail too, and say nothing of the disk.
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
