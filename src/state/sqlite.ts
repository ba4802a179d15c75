import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { StateError, UnstorableError } from '../errors.js'
import { atTurnEnd, withOthers } from '../turn.js'
import { migrationsFor } from './migrations/index.js'
import { playedAtOnce } from './script.js'
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
  // pages of accounts that come again, in KiB, and pages of the log after which they are written to their places
  db.pragma('cache_size = -32768')
  db.pragma('wal_autocheckpoint = 4000')
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

type Row = Record<string, Value>

interface Prepared {
  statement: Database.Statement
  hasRows: boolean
  writes: boolean
}

/** A statement that waits for the end of the turn. */
interface Waiting {
  query: Query
  resolve(result: Result): void
  reject(error: Error): void
}

class SqliteDriver implements Driver {
  /**
   * By their text. A statement is only ever read in one way: in this library one that was read to its end as a list
   * keeps what was bound to it, and then answers for that when asked for a single row.
   */
  private readonly prepared = { single: new Map<string, Prepared>(), list: new Map<string, Prepared>() }
  private readonly reads: Waiting[] = []
  private readonly writes: Waiting[] = []
  /** Locks of what this instance leads. */
  private readonly leads = new Map<string, Database.Database>()

  constructor(
    private readonly db: Database.Database,
    private readonly folder: string,
  ) {}

  /**
   * With the others of this turn of the event loop: reads share a lock and writes a commit, which cost more than the
   * statements themselves.
   */
  async query(query: Query): Promise<Result> {
    const { writes } = this.guarded(() => this.prepare(query))
    const [waiting, when] = writes ? [this.writes, atTurnEnd] : [this.reads, withOthers]
    return new Promise((resolve, reject) => {
      if (waiting.push({ query, resolve, reject }) === 1) when('statements', () => this.runWaiting(waiting))
    })
  }

  async transact<T>(script: Script<T>): Promise<T> {
    const work = () => playedAtOnce(script, (query) => this.guarded(() => this.run(query)))
    return this.guarded(() => this.db.transaction(work).immediate())
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
    this.runWaiting(this.reads)
    this.runWaiting(this.writes)
    for (const lock of this.leads.values()) lock.close()
    this.leads.clear()
    if (this.db.open) this.db.close()
  }

  /** All of them or none: where the database fails, nobody was accepted. */
  private runWaiting(waiting: Waiting[]): void {
    const batch = waiting.splice(0)
    if (batch.length === 0) return
    const work = () => batch.map(({ query }) => this.run(query))
    try {
      const results = this.guarded(() => {
        if (waiting === this.writes) return this.db.transaction(work).immediate()
        return batch.length > 1 ? this.db.transaction(work)() : work()
      })
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }

  private prepare({ text, single }: Query): Prepared {
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

  private run(query: Query): Result {
    const { values, single } = query
    const { statement, hasRows } = this.prepare(query)
    if (!hasRows) return { rows: [], changes: statement.run(values).changes }
    if (!single) return { rows: statement.all(values) as Row[], changes: 0 }
    const row = statement.get(values) as (Row & { _metadata?: unknown }) | undefined
    if (!row) return { rows: [], changes: 0 }
    const { _metadata, ...columns } = row // how long it took, which the library adds
    return { rows: [columns], changes: 0 }
  }

  private guarded<T>(step: () => T): T {
    try {
      // prepared statements of this library go on working after their database was closed
      if (!this.db.open) throw new Error('closed')
      return step()
    } catch (error) {
      if (error instanceof UnstorableError || isAboutData(error)) throw new UnstorableError()
      throw new StateError('STATE_UNAVAILABLE', 'The state store cannot be used now.')
    }
  }
}

/** Whether it is the data that cannot be stored, as against a database that is full, locked or gone. */
function isAboutData(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code) || error instanceof RangeError
}
