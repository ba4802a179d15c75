import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger, TickBatch } from '@tidegate/common'
import { StateError, UnstorableError } from '@tidegate/protocol'
import Database from 'libsql'
import { BatchWriter } from '../batch-writer.js'
import { type DatabaseFault, FaultLog, type HealthCheckOptions, unavailable } from '../fault.js'
import { DATABASE_LIMITS } from '../limits.js'
import { PROBE, probeWrites } from '../probe.js'
import type { Schema } from '../schema.js'
import { runScriptSync } from '../script.js'
import type { Driver, Query, Result, Script, ThreadWork } from '../sql.js'
import { LogSync } from './log-sync.js'
import { DATABASE_FILE } from './sqlite-file.js'
import { SqliteSnapshots } from './sqlite-snapshots.js'
import { completed, emptyLog, inTransaction, Statements, tryLock } from './sqlite-statements.js'

/** Rows of a stream per turn of the event loop. */
const STREAM_BATCH = 500

/** Milliseconds between two attempts to take the write lock. */
const LOCK_POLL = 1

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
  private readonly batches: BatchWriter | undefined
  private readonly statements: Statements
  private readonly reads: PendingStatement[] = []
  private readonly writes: PendingStatement[] = []
  /** Locks of the tasks that this instance leads. */
  private readonly leaderLocks = new Map<string, Database.Database>()
  private readonly faults: FaultLog
  private readonly log: LogSync
  /** Writes that wait for the lock or the disk. */
  private readonly writing = new Set<Promise<unknown>>()

  constructor(
    private readonly db: Database.Database,
    private readonly opened: OpenDatabase,
  ) {
    this.faults = new FaultLog(opened.log)
    this.statements = new Statements(db)
    const path = join(opened.folder, DATABASE_FILE)
    this.log = new LogSync(`${path}-wal`)
    const { worker } = opened.schema
    this.batches = worker && new BatchWriter(path, worker)
    this.snapshots = new SqliteSnapshots(path, (error) => this.meaning(error))
  }

  /**
   * Batches reads of this tick, and writes with those of the next tick (group commit). A shared lock and commit cost
   * more than the statements.
   */
  async query(query: Query): Promise<Result> {
    const { writes } = this.guarded(() => this.statements.prepare(query))
    const { batch } = this.opened
    const queue = writes ? this.writes : this.reads
    return new Promise((resolve, reject) => {
      if (queue.push({ query, resolve, reject }) > 1) return
      if (writes) batch.addLater('statements', () => void this.flushWrites())
      else batch.addIfShared('statements', () => this.flushReads())
    })
  }

  transact<T>(script: Script<T>): Promise<T> {
    return this.write(() => runScriptSync(script, (query) => this.guarded(() => this.statements.run(query))))
  }

  onThread(work: ThreadWork, rows = Number.POSITIVE_INFINITY): Promise<boolean> | undefined {
    const { batches } = this
    return !batches || rows < this.opened.manyChanges ? undefined : this.workOnThread(batches, work)
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
    this.guarded(() => this.db.exec('BEGIN IMMEDIATE'))
    let result: T
    try {
      result = await work(async (query) => this.guarded(() => this.statements.run(query)))
      this.guarded(() => this.db.exec('COMMIT'))
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      throw error
    }
    await this.durable()
    return result
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
    try {
      this.guarded(() => {
        this.opened.assertPresent()
        this.statements.run(PROBE)
        if (thorough) this.checkIntegrity()
      })
      if (thorough || this.faults.isProbeDue())
        for (const query of probeWrites()) await this.write(() => this.statements.run(query))
    } catch {
      // recorded already
    }
    return this.faults.current
  }

  get lastWrite(): number | undefined {
    return this.faults.lastWrite
  }

  async close(): Promise<void> {
    await this.batches?.close()
    this.flushReads()
    await this.flushWrites()
    await Promise.allSettled(this.writing)
    await this.log.close()
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

  /** Does work in a write transaction. Resolves when it is durable. */
  private write<T>(work: () => T): Promise<T> {
    const written = this.commit(work).finally(() => this.writing.delete(written))
    this.writing.add(written)
    return written
  }

  /** The event loop goes on while another connection has the write lock, and while the disk syncs. */
  private async commit<T>(work: () => T): Promise<T> {
    const end = performance.now() + DATABASE_LIMITS.locks.write
    const lock = () => {
      this.assertWritable()
      return tryLock(this.db, performance.now() > end)
    }
    while (!this.guarded(lock)) await sleep(LOCK_POLL)
    const result = this.guarded(() => completed(this.db, work))
    await this.durable()
    return result
  }

  private async durable(): Promise<void> {
    try {
      await this.log.sync()
    } catch (error) {
      throw this.meaning(error)
    }
    this.faults.wrote()
  }

  /**
   * Throws if a write would be lost: the file was removed, or the log has a gap after a failed sync. A checkpoint repairs
   * the log: it moves all commits into the database file, and syncs that.
   */
  private assertWritable(): void {
    this.opened.assertPresent()
    if (!this.log.failed) return
    if (!emptyLog(this.db)) throw Object.assign(new Error('The log is in use.'), { code: 'SQLITE_BUSY' })
    this.log.repaired()
  }

  private async workOnThread(batches: BatchWriter, work: ThreadWork): Promise<boolean> {
    let done: boolean
    try {
      done = await batches.commit(work, () => this.guarded(() => this.assertWritable()))
    } catch (error) {
      throw this.meaning(error)
    }
    await this.durable()
    return done
  }

  /** Commits all waiting writes atomically. If the database fails, every one of them is rejected. */
  private async flushWrites(): Promise<void> {
    if (this.writes.length === 0) return
    let batch: PendingStatement[] | undefined
    try {
      const results = await this.write(() => {
        // more of them have come while the lock was taken
        batch = this.writes.splice(0)
        return batch.map(({ query }) => this.statements.run(query))
      })
      for (const [at, { resolve }] of (batch ?? []).entries()) resolve(results[at] as Result)
    } catch (error) {
      for (const { reject } of batch ?? this.writes.splice(0)) reject(error as Error)
    }
  }

  private flushReads(): void {
    const batch = this.reads.splice(0)
    const work = () => batch.map(({ query }) => this.statements.run(query))
    try {
      const results = this.guarded(() => (batch.length > 1 ? inTransaction(this.db, 'DEFERRED', work) : work()))
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
