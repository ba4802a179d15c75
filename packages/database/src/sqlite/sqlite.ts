import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, TickBatch } from '@tidegate/common'
import Database from 'libsql'
import {
  ageOf,
  assertCurrent,
  CREATE_VERSIONS,
  type Schema,
  upgrade,
  VERSIONS_TABLE,
  type Versions,
  versionsFrom,
  versionsOf,
} from '../schema.js'
import type { Driver } from '../sql.js'
import { type OpenDatabase, SqliteDriver } from './sqlite-driver.js'
import { DATABASE_FILE, fileGuard, lockFolder } from './sqlite-file.js'
import { configured, inTransaction, LOCK_WAIT } from './sqlite-statements.js'

/** See `SqliteOptions.manyChanges`. */
const MANY_CHANGES = 60

export interface SqliteOptions {
  log?: Logger | undefined
  /** Batches statements with other work of a tick. Default: a TickBatch of its own. */
  batch?: TickBatch | undefined
  /** Uses the database exclusively. */
  exclusive?: boolean | undefined
  /** Changes from which a thread commits a batch. Default: so many index changes take 15 ms. */
  manyChanges?: number | undefined
  /** Read-only beside other users: the database must exist, with the schema of this version. */
  readOnly?: boolean | undefined
}

/**
 * Opens the embedded database: an SQLite file in WAL mode. A write is on the disk when its promise resolves, so that it
 * survives kill -9 and power loss. Several processes of a machine may share it. Throws if it cannot be opened.
 */
export function openSqlite(
  folder: string,
  schema: Schema,
  { log, batch = new TickBatch(), exclusive = false, readOnly = false, manyChanges = MANY_CHANGES }: SqliteOptions = {},
): Driver {
  if (readOnly) return openReadOnly(folder, { schema, log, batch, manyChanges })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = lockFolder(folder, exclusive)
  try {
    const path = join(folder, DATABASE_FILE)
    const db = configured(new Database(path, { timeout: LOCK_WAIT }))
    migrate(db, schema)
    return new SqliteDriver(db, {
      folder,
      schema,
      release,
      assertPresent: fileGuard(path, db),
      batch,
      log,
      manyChanges,
    })
  } catch (error) {
    release()
    throw error
  }
}

function openReadOnly(folder: string, shared: Pick<OpenDatabase, 'schema' | 'batch' | 'log' | 'manyChanges'>): Driver {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true, timeout: LOCK_WAIT })
  try {
    assertCurrent(versionsIn(db), shared.schema)
    return new SqliteDriver(db, { folder, release: () => undefined, assertPresent: () => undefined, ...shared })
  } catch (error) {
    db.close()
    throw error
  }
}

function versionsIn(db: Database.Database): Versions {
  const isThere = db.prepare(`SELECT 1 AS found FROM sqlite_master WHERE name = '${VERSIONS_TABLE}'`).get()
  return isThere ? versionsFrom(db.prepare(`SELECT owner, version FROM ${VERSIONS_TABLE}`).all() as object[]) : {}
}

function migrate(db: Database.Database, schema: Schema): void {
  // the state id must be durable before a file beside the database names it
  db.pragma('synchronous = FULL')
  inTransaction(db, 'IMMEDIATE', () => {
    const versions = versionsIn(db)
    if (ageOf(versions, schema) === 'newer')
      throw new Error('The state database was made by a newer version of Tidegate.')
    for (const step of upgrade(schema, 'sqlite', versions)) db.exec(step)
    db.exec(CREATE_VERSIONS)
    const record = db.prepare(`INSERT OR REPLACE INTO ${VERSIONS_TABLE} (owner, version) VALUES (?, ?)`)
    for (const [owner, version] of Object.entries(versionsOf(schema)))
      if (versions[owner] !== version) record.run([owner, version])
    const after = schema.afterMigration?.()
    if (after) db.prepare(after.text).run(after.values)
  })
  db.pragma('synchronous = NORMAL')
}
