import { statSync } from 'node:fs'
import { REFRESH_ALL } from '@tidegate/catalog'
import type { Result, Value } from '@tidegate/database'
import { inTransaction, Statements } from '@tidegate/database/sqlite'
import { StartError, UnstorableError } from '@tidegate/protocol'
import Database from 'libsql'
import { packageVersion } from '../../version.js'
import { migrationsFor } from '../migrations/index.js'
import { assertFree, makeFile } from './partial.js'
import { copyTables, type Sink } from './pass.js'
import { assertPresent, cannotBeUsed, type Database as Installed, nameOf, pathOf } from './place.js'
import { copiedTables, SCHEMA_VERSION } from './schema.js'
import { identityIn, openSnapshot, type Run, type Snapshot, text } from './snapshot.js'

/** A table that only backups have, with their time, version and kind of source database. */
export const INFO_TABLE = 'backup_info'

export interface BackupOptions {
  /** Replaces an existing file. */
  force?: boolean
  /** Milliseconds since 1970. */
  now?: number
}

/**
 * Writes a snapshot of the state of a database to a file: an embedded database, whatever the kind of the source. Works
 * while the service runs. The file appears completely or not at all. Returns its size in bytes. Throws StartError.
 */
export async function backupState(
  from: Installed,
  path: string,
  { force = false, now = Date.now() }: BackupOptions = {},
): Promise<number> {
  assertFree(path, force)
  assertPresent(from)
  await assertComplete(from)
  try {
    return await makeFile(path, force, async (temporary) => {
      if (from.kind === 'embedded') await vacuumInto(from, temporary)
      else await dump(from, temporary)
      addInfo(temporary, [now, packageVersion(), from.kind])
      return statSync(temporary).size
    })
  } catch (error) {
    throw error instanceof StartError ? error : cannotBeUsed({ kind: 'file', path }, error)
  }
}

/** Throws StartError if there is no state of a known version, or an incomplete one. */
async function assertComplete(from: Installed): Promise<void> {
  const snapshot = await openSnapshot(from)
  try {
    const { version } = snapshot
    if (version === 0) throw new StartError([`${nameOf(from)} holds no state of Tidegate.`])
    if (version > SCHEMA_VERSION)
      throw new StartError([`${nameOf(from)} was made by a newer version of Tidegate: back it up with that.`])
    const identity = await identityIn(snapshot)
    if (identity?.successor !== undefined)
      throw new StartError([`${nameOf(from)}: its state was moved to another database: back up that one.`])
    if (identity?.copying !== undefined)
      throw new StartError([`${nameOf(from)} holds an unfinished copy of a state: finish that first.`])
  } finally {
    await snapshot.close()
  }
}

/** Copies an embedded database. Unlike a copy of its files, this is consistent while others write. */
export async function vacuumInto(from: Parameters<typeof pathOf>[0], path: string): Promise<void> {
  const db = new Database(pathOf(from), { readonly: true, timeout: 5000 })
  try {
    db.prepare('VACUUM INTO ?').run([path])
  } finally {
    db.close()
  }
}

/** Dumps a PostgreSQL database to a file, from one snapshot. */
async function dump(from: Installed, path: string): Promise<void> {
  const snapshot = await openSnapshot(from)
  try {
    const file = new NewFile(path, snapshot.version)
    try {
      await copyTables(copiedTables(snapshot.version), snapshot, file)
      await copyIdentity(snapshot, file)
    } finally {
      file.close()
    }
  } finally {
    await snapshot.close()
  }
}

/** The backup is the same state as its source, and has its id. */
async function copyIdentity(from: Snapshot, to: NewFile): Promise<void> {
  const hasTable = (name: string) => to.rows(`SELECT 1 AS found FROM sqlite_master WHERE name = '${name}'`).length > 0
  if (hasTable('identity')) {
    const { rows } = await from.run(text(`SELECT id, role FROM identity WHERE id <> 'probe' ORDER BY id`))
    await to.session(async (run) => {
      for (const { id, role } of rows)
        await run({ text: 'INSERT INTO identity (id, role) VALUES (?, ?)', values: [id as Value, role as Value] })
    })
  }
  if (hasTable('search_pending')) await to.session((run) => run(text(`${REFRESH_ALL} ON CONFLICT DO NOTHING`)))
}

function addInfo(path: string, values: Value[]): void {
  const db = new Database(path)
  try {
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${INFO_TABLE} (at BIGINT NOT NULL, version TEXT NOT NULL, source TEXT NOT NULL)`,
    )
    db.exec(`DELETE FROM ${INFO_TABLE}`)
    db.prepare(`INSERT INTO ${INFO_TABLE} (at, version, source) VALUES (?, ?, ?)`).run(values)
    const [{ quick_check: result } = {}] = db.pragma('quick_check(1)') as { quick_check?: string }[]
    if (result !== 'ok') throw Object.assign(new Error('It is damaged.'), { code: 'SQLITE_CORRUPT' })
  } finally {
    db.close()
  }
}

/** A new embedded database with the schema of a version. It is synced once, when it is complete. */
class NewFile implements Sink {
  readonly dialect = 'sqlite'
  private readonly db: Database.Database
  private readonly statements: Statements

  constructor(path: string, version: number) {
    this.db = new Database(path)
    this.db.pragma('synchronous = OFF')
    this.statements = new Statements(this.db)
    inTransaction(this.db, 'IMMEDIATE', () => {
      for (const step of migrationsFor('sqlite').slice(0, version)) this.db.exec(step)
      this.db.pragma(`user_version = ${version}`)
    })
  }

  rows(sql: string): Result['rows'] {
    return this.statements.run(text(sql)).rows
  }

  async session<T>(work: (run: Run) => Promise<T>): Promise<T> {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      const result = await work(async (query) => this.statements.run(query))
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      const isAboutData = String((error as { code?: unknown }).code).startsWith('SQLITE_CONSTRAINT')
      throw isAboutData ? new UnstorableError() : error
    }
  }

  close(): void {
    this.db.close()
  }
}
