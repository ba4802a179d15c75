import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { StateError, UnstorableError } from '../errors.js'
import type { Logger } from '../logger.js'
import { atTurnEnd, withOthers } from '../turn.js'
import { migrationsFor } from './migrations/index.js'
import { playedAtOnce } from './script.js'
import { ANYTHING, type Driver, probe, type Query, type Result, type Script } from './sql.js'
import { sqlStore } from './sql-store.js'
import { DATABASE_FILE, takeIntoUse, watchFile } from './sqlite-file.js'
import { inTransaction, Statements } from './sqlite-statements.js'
import type { Look, StateStore } from './store.js'
import { nameState } from './tables/identity.js'
import { type Trouble, Troubles, unavailable } from './trouble.js'

export interface SqliteOptions {
  log?: Logger
  /** Nobody else may use it meanwhile. */
  alone?: boolean
}

/** The embedded store. Throws where it cannot be opened. */
export function openSqliteStore(folder: string, options: SqliteOptions = {}): StateStore {
  return sqlStore(openSqlite(folder, options))
}

/**
 * The embedded database: one SQLite file in WAL mode, synced at every commit, so that what was accepted survives
 * kill -9 and power loss. Several processes of one machine may share it.
 */
export function openSqlite(folder: string, { log, alone = false }: SqliteOptions = {}): Driver {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = takeIntoUse(folder, alone)
  try {
    const path = join(folder, DATABASE_FILE)
    const db = new Database(path, { timeout: 5000 })
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    // pages of accounts that come again, in KiB, and pages of the log after which they are written to their places
    db.pragma('cache_size = -32768')
    db.pragma('wal_autocheckpoint = 4000')
    migrate(db)
    return new SqliteDriver(db, { folder, release, present: watchFile(path, db), log })
  } catch (error) {
    release()
    throw error
  }
}

function migrate(db: Database.Database): void {
  const migrations = migrationsFor('sqlite')
  inTransaction(db, 'IMMEDIATE', () => {
    const version = (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? 0
    if (version > migrations.length) throw new Error('The state database was made by a newer version of Tidegate.')
    for (const step of migrations.slice(version)) db.exec(step)
    db.pragma(`user_version = ${migrations.length}`)
    const { text, values } = nameState()
    db.prepare(text).run(values)
  })
}

/** A statement that waits for the end of the turn. */
interface Waiting {
  query: Query
  resolve(result: Result): void
  reject(error: Error): void
}

/** What belongs to an open database. */
interface Opened {
  folder: string
  /** Gives back the lock by which it is in use. */
  release: () => void
  /** Throws where the file is not the one that was opened any more. */
  present: () => void
  log: Logger | undefined
}

class SqliteDriver implements Driver {
  private readonly statements: Statements
  private readonly reads: Waiting[] = []
  private readonly writes: Waiting[] = []
  /** Locks of what this instance leads. */
  private readonly leads = new Map<string, Database.Database>()
  private readonly troubles: Troubles

  constructor(
    private readonly db: Database.Database,
    private readonly opened: Opened,
  ) {
    this.troubles = new Troubles(opened.log)
    this.statements = new Statements(db)
  }

  /**
   * With the others of this turn of the event loop: reads share a lock and writes a commit, which cost more than the
   * statements themselves.
   */
  async query(query: Query): Promise<Result> {
    const { writes } = this.guarded(() => this.statements.prepare(query))
    const [waiting, when] = writes ? [this.writes, atTurnEnd] : [this.reads, withOthers]
    return new Promise((resolve, reject) => {
      if (waiting.push({ query, resolve, reject }) === 1) when('statements', () => this.runWaiting(waiting))
    })
  }

  async transact<T>(script: Script<T>): Promise<T> {
    const work = () => playedAtOnce(script, (query) => this.guarded(() => this.statements.run(query)))
    return this.guarded(() => this.write(work))
  }

  async session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T> {
    this.guarded(() => this.db.exec('BEGIN IMMEDIATE'))
    try {
      const result = await work(async (query) => this.guarded(() => this.statements.run(query)))
      this.guarded(() => this.db.exec('COMMIT'))
      return result
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** By a lock on a file beside the database, which the system takes back when the process is gone. */
  async lead(task: string): Promise<boolean> {
    if (this.leads.has(task)) return true
    const lock = new Database(join(this.opened.folder, `${task.replaceAll(' ', '-')}.lock`), { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      this.leads.set(task, lock)
      return true
    } catch {
      lock.close()
      return false
    }
  }

  async trouble({ thorough = false }: Look = {}): Promise<Trouble | undefined> {
    try {
      this.guarded(() => {
        this.opened.present()
        this.statements.run(ANYTHING)
        if (thorough) this.readAll()
        if (thorough || this.troubles.probes())
          for (const query of probe()) this.write(() => this.statements.run(query))
      })
    } catch {
      // kept where it was noted
    }
    return this.troubles.current
  }

  async close(): Promise<void> {
    this.runWaiting(this.reads)
    this.runWaiting(this.writes)
    for (const lock of this.leads.values()) lock.close()
    this.leads.clear()
    if (this.db.open) this.db.close()
    this.opened.release()
  }

  private readAll(): void {
    const [{ quick_check: said } = {}] = this.db.pragma('quick_check(1)') as { quick_check?: string }[]
    if (said !== 'ok') throw Object.assign(new Error('It is damaged.'), { code: 'SQLITE_CORRUPT' })
  }

  /** Commits what a piece of work writes, into the file that is there: one that was removed would take it as well. */
  private write<T>(work: () => T): T {
    this.opened.present()
    const result = inTransaction(this.db, 'IMMEDIATE', work)
    this.troubles.worked()
    return result
  }

  /** All of them or none: where the database fails, nobody was accepted. */
  private runWaiting(waiting: Waiting[]): void {
    const batch = waiting.splice(0)
    if (batch.length === 0) return
    const work = () => batch.map(({ query }) => this.statements.run(query))
    try {
      const results = this.guarded(() => {
        if (waiting === this.writes) return this.write(work)
        return batch.length > 1 ? inTransaction(this.db, 'DEFERRED', work) : work()
      })
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }

  private guarded<T>(step: () => T): T {
    // prepared statements of this library go on working after their database was closed
    if (!this.db.open) throw unavailable()
    try {
      return step()
    } catch (error) {
      if (error instanceof StateError) throw error // judged already
      if (isAboutData(error)) throw new UnstorableError()
      throw this.troubles.failed(error)
    }
  }
}

/** Whether it is the data that cannot be stored, as against a database that is full, locked or gone. */
function isAboutData(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code) || error instanceof RangeError
}
