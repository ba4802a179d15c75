import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import type { Logger } from '../process/logger.js'
import { TickBatch } from '../process/tick-batch.js'
import { assertCurrent, migrationsFor } from './migrations/index.js'
import type { Driver } from './sql.js'
import { sqlStore } from './sql-store.js'
import { type OpenDatabase, SqliteDriver } from './sqlite-driver.js'
import { DATABASE_FILE, fileGuard, lockFolder } from './sqlite-file.js'
import { configured, inTransaction } from './sqlite-statements.js'
import type { StateStore } from './store.js'
import { assignStateId } from './tables/identity.js'

/** See `SqliteOptions.manyChanges`. */
const MANY_CHANGES = 60

export interface SqliteOptions {
  log?: Logger | undefined
  /** Batches statements with other work of the same tick of the event loop. Default: a separate TickBatch. */
  batch?: TickBatch | undefined
  /** Uses the database exclusively. */
  exclusive?: boolean | undefined
  /** Changes from which a batch is committed on a thread. By default so many of the index that they would hold the event loop for 15 ms. */
  manyChanges?: number | undefined
  /** Read-only beside its users: the database must exist, with the schema of this version. */
  readOnly?: boolean | undefined
}

/** Opens the embedded state store. Throws where it cannot be opened. */
export function openSqliteStore(folder: string, options: SqliteOptions = {}): StateStore {
  return sqlStore(openSqlite(folder, options))
}

/**
 * Opens the embedded database: one SQLite file in WAL mode, synced at every commit, so that committed writes survive
 * kill -9 and power loss. Several processes of one machine may share it. Throws where it cannot be opened.
 */
export function openSqlite(
  folder: string,
  { log, batch = new TickBatch(), exclusive = false, readOnly = false, manyChanges = MANY_CHANGES }: SqliteOptions = {},
): Driver {
  if (readOnly) return openReadOnly(folder, { log, batch, manyChanges })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = lockFolder(folder, exclusive)
  try {
    const path = join(folder, DATABASE_FILE)
    const db = configured(new Database(path, { timeout: 5000 }))
    migrate(db)
    return new SqliteDriver(db, { folder, release, assertPresent: fileGuard(path, db), batch, log, manyChanges })
  } catch (error) {
    release()
    throw error
  }
}

function openReadOnly(folder: string, shared: Pick<OpenDatabase, 'batch' | 'log' | 'manyChanges'>): Driver {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true, timeout: 5000 })
  try {
    assertCurrent(versionOf(db), migrationsFor('sqlite').length)
    return new SqliteDriver(db, { folder, release: () => undefined, assertPresent: () => undefined, ...shared })
  } catch (error) {
    db.close()
    throw error
  }
}

function versionOf(db: Database.Database): number {
  return (db.pragma('user_version') as { user_version: number }[])[0]?.user_version ?? 0
}

function migrate(db: Database.Database): void {
  const migrations = migrationsFor('sqlite')
  inTransaction(db, 'IMMEDIATE', () => {
    const version = versionOf(db)
    if (version > migrations.length) throw new Error('The state database was made by a newer version of Tidegate.')
    for (const step of migrations.slice(version)) db.exec(step)
    db.pragma(`user_version = ${migrations.length}`)
    const { text, values } = assignStateId()
    db.prepare(text).run(values)
  })
}
