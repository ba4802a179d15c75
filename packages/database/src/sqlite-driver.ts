import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger, TickBatch } from '@tidegate/common'
import { StateError, UnstorableError } from '@tidegate/protocol'
import Database from 'libsql'
import { BatchWriter } from './batch-writer.js'
import { type DatabaseFault, FaultLog, type HealthCheckOptions, unavailable } from './fault.js'
import type { Schema } from './schema.js'
import { runScriptSync } from './script.js'
import type { Driver, Query, Result, Script, ThreadWork } from './sql.js'
import { DATABASE_FILE } from './sqlite-file.js'
import { SqliteSnapshots } from './sqlite-snapshots.js'
import { inTransaction, Statements } from './sqlite-statements.js'

/** Rows of a stream per turn of the event loop. */
const STREAM_BATCH = 500

/** A statement in a batch. */
interface PendingStatement {
  query: Query
  resolve(result: Result): void
  reject(error: Error): void
}

/** The resources of an open database. */
export interface OpenDatabase {
  schema: Schema
  folder: string
  /** Releases the lock of a user. */
  release: () => void
  /** Throws if the file was removed, replaced or truncated. */
  assertPresent: () => void
  batch: TickBatch
  log: Logger | undefined
  /** See `SqliteOptions`. */
  manyChanges: number
}

/** Statements, transactions, searches and leader locks of an open embedded database. */
export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite'
  readonly snapshots: SqliteSnapshots
  private readonly batches: BatchWriter
  private readonly statements: Statements
  private readonly reads: PendingStatement[] = []
  private readonly writes: PendingStatement[] = []
  /** Locks of the tasks that this instance leads. */
  private readonly leaderLocks = new Map<string, Database.Database>()
  private readonly faults: FaultLog

  constructor(
    private readonly db: Database.Database,
    private readonly opened: OpenDatabase,
  ) {
    this.faults = new FaultLog(opened.log)
    this.statements = new Statements(db)
    this.batches = new BatchWriter(join(opened.folder, DATABASE_FILE), opened.schema.worker)
    this.snapshots = new SqliteSnapshots(join(opened.folder, DATABASE_FILE), (error) => this.meaning(error))
  }

  /**
   * Batches reads of this tick, and writes with those of the next tick (group commit). A shared lock and commit cost
   * more than the statements.
   */
  async query(query: Query): Promise<Result> {
    const { writes } = this.guarded(() => this.statements.prepare(query))
    const { batch } = this.opened
    const queue = writes ? this.writes : this.reads
    const run = () => this.flush(queue)
    return new Promise((resolve, reject) => {
      if (queue.push({ query, resolve, reject }) > 1) return
      if (writes) batch.addLater('statements', run)
      else batch.addIfShared('statements', run)
    })
  }

  async transact<T>(script: Script<T>): Promise<T> {
    if (this.batches.writing) await this.noBatch()
    const work = () => runScriptSync(script, (query) => this.guarded(() => this.statements.run(query)))
    return this.guarded(() => this.write(work))
  }

  onThread(work: ThreadWork, rows = Number.POSITIVE_INFINITY): Promise<boolean> | undefined {
    return rows < this.opened.manyChanges ? undefined : this.workOnThread(work)
  }

  /** Reads rows over a connection of its own, whose snapshot blocks no writer. */
  async *stream({ text, values }: Query): AsyncGenerator<Result['rows'][number]> {
    const db = this.guarded(() => new Database(join(this.opened.folder, DATABASE_FILE), { readonly: true }))
    try {
      const rows = this.guarded(() => db.prepare(text).iterate(values)) as Iterator<Result['rows'][number]>
      for (let count = 1; ; count++) {
        const { done, value } = this.guarded(() => rows.next())
        if (done) return
        yield value
        if (count % STREAM_BATCH === 0) await nextTurn()
      }
    } finally {
      db.close()
    }
  }

  async session<T>(work: (run: (query: Query) => Promise<Result>) => Promise<T>): Promise<T> {
    await this.noBatch()
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

  /** Tries to lock a file beside the database. The system releases the lock when the process exits. */
  async tryLead(task: string): Promise<boolean> {
    if (this.leaderLocks.has(task)) return true
    const lock = new Database(join(this.opened.folder, `${task.replaceAll(' ', '-')}.lock`), { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      this.leaderLocks.set(task, lock)
      return true
    } catch {
      lock.close()
      return false
    }
  }

  async checkHealth({ thorough = false }: HealthCheckOptions = {}): Promise<DatabaseFault | undefined> {
    await this.noBatch()
    try {
      this.guarded(() => {
        this.opened.assertPresent()
        this.statements.run(this.opened.schema.probe)
        if (thorough) this.checkIntegrity()
        if (thorough || this.faults.isProbeDue())
          for (const query of this.opened.schema.probeWrites()) this.write(() => this.statements.run(query))
      })
    } catch {
      // guarded() has recorded it
    }
    return this.faults.current
  }

  get lastWrite(): number | undefined {
    return this.faults.lastWrite
  }

  async close(): Promise<void> {
    await this.batches.close()
    this.flush(this.reads)
    this.flush(this.writes)
    for (const lock of this.leaderLocks.values()) lock.close()
    this.leaderLocks.clear()
    await this.snapshots.close()
    if (this.db.open) this.db.close()
    this.opened.release()
  }

  private checkIntegrity(): void {
    const [{ quick_check: result } = {}] = this.db.pragma('quick_check(1)') as { quick_check?: string }[]
    if (result !== 'ok') throw Object.assign(new Error('It is damaged.'), { code: 'SQLITE_CORRUPT' })
  }

  /** Runs a write transaction after a check of the file: a write to a removed file would succeed and be lost. */
  private write<T>(work: () => T): T {
    this.opened.assertPresent()
    const result = inTransaction(this.db, 'IMMEDIATE', work)
    this.faults.wrote()
    return result
  }

  private async workOnThread(work: ThreadWork): Promise<boolean> {
    try {
      const done = await this.batches.commit(work, () => this.guarded(() => this.opened.assertPresent()))
      this.faults.wrote()
      return done
    } catch (error) {
      throw this.meaning(error)
    }
  }

  /** Waits for the end of the thread's batch: waiting for its lock would block the event loop. */
  private async noBatch(): Promise<void> {
    while (this.batches.writing) await this.batches.writing
  }

  /** Commits a batch atomically. If the database fails, every statement of the batch is rejected. */
  private flush(queue: PendingStatement[]): void {
    if (queue === this.writes && this.batches.writing) {
      void this.batches.writing.then(() => this.flush(queue))
      return
    }
    const batch = queue.splice(0)
    if (batch.length === 0) return
    const work = () => batch.map(({ query }) => this.statements.run(query))
    try {
      const results = this.guarded(() => {
        if (queue === this.writes) return this.write(work)
        return batch.length > 1 ? inTransaction(this.db, 'DEFERRED', work) : work()
      })
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error as Error)
    }
  }

  private guarded<T>(step: () => T): T {
    // statements of this library still work after their database is closed
    if (!this.db.open) throw unavailable()
    try {
      return step()
    } catch (error) {
      throw this.meaning(error)
    }
  }

  private meaning(error: unknown): Error {
    if (error instanceof StateError) return error // classified already
    if (isAboutData(error)) return new UnstorableError()
    return this.faults.record(error)
  }
}

/** Whether an error is about the data, and not about a full, locked or lost database. */
function isAboutData(error: unknown): boolean {
  const code = String((error as { code?: unknown } | null)?.code)
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code) || error instanceof RangeError
}
