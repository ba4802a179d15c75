import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { StateError } from '../errors.js'
import { migrationsFor } from './migrations/index.js'
import type { Driver, Query, Result, Script, Value } from './sql.js'
import { sqlStore } from './sql-store.js'
import type { StateStore } from './store.js'

/** Name of the database file inside the state folder. */
export const DATABASE_FILE = 'tidegate.sqlite'

/**
 * The embedded store: one SQLite file in WAL mode, synced at every commit, so that what was accepted survives
 * kill -9 and power loss. Several processes of one machine may share it.
 */
export function openSqliteStore(folder: string): StateStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Database(join(folder, DATABASE_FILE), { timeout: 5000 })
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  migrate(db)
  return sqlStore(new SqliteDriver(db, folder))
}

function migrate(db: Database.Database): void {
  const migrations = migrationsFor('sqlite')
  db.transaction(() => {
    const version = (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? 0
    if (version > migrations.length) throw new Error('The state database was made by a newer version of Tidegate.')
    for (const step of migrations.slice(version)) db.exec(step)
    db.pragma(`user_version = ${migrations.length}`)
  }).immediate()
}

interface Prepared {
  statement: Database.Statement
  hasRows: boolean
}

class SqliteDriver implements Driver {
  private readonly prepared = new Map<string, Prepared>()
  /** Locks of what this instance leads. */
  private readonly leads = new Map<string, Database.Database>()

  constructor(
    private readonly db: Database.Database,
    private readonly folder: string,
  ) {}

  async query(query: Query): Promise<Result> {
    return this.guarded(() => this.run(query))
  }

  async transact<T>(script: Script<T>): Promise<T> {
    return this.guarded(() =>
      this.db
        .transaction(() => {
          let next = script.next()
          while (!next.done) next = script.next(this.run(next.value))
          return next.value
        })
        .immediate(),
    )
  }

  /** By a lock on a file beside the database, which the system takes back when the process is gone. */
  async lead(task: string): Promise<boolean> {
    if (this.leads.has(task)) return true
    const lock = new Database(join(this.folder, `${task.replaceAll(' ', '-')}.lock`), { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      this.leads.set(task, lock)
      return true
    } catch {
      lock.close()
      return false
    }
  }

  async close(): Promise<void> {
    for (const lock of this.leads.values()) lock.close()
    this.leads.clear()
    if (this.db.open) this.db.close()
  }

  private run({ text, values }: Query): Result {
    let prepared = this.prepared.get(text)
    if (!prepared) {
      prepared = { statement: this.db.prepare(text), hasRows: /^\s*SELECT|\bRETURNING\b/i.test(text) }
      this.prepared.set(text, prepared)
    }
    if (!prepared.hasRows) return { rows: [], changes: prepared.statement.run(...(values as string[])).changes }
    const rows = prepared.statement.all(...(values as string[])) as Record<string, Value>[]
    return { rows, changes: 0 }
  }

  private guarded<T>(step: () => T): T {
    try {
      // prepared statements of this library go on working after their database was closed
      if (!this.db.open) throw new Error('closed')
      return step()
    } catch {
      throw new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
    }
  }
}
