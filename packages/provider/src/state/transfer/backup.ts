import { statSync } from 'node:fs'
import { StartError } from '@tidegate/protocol'
import Database from 'libsql'
import { PROVIDER_LIMITS } from '../../limits.js'
import { assertFree, makeFile } from './partial.js'
import { assertPresent, cannotBeUsed, type Embedded, nameOf, pathOf } from './place.js'
import { ageOfState } from './schema.js'
import { identityIn, openSnapshot } from './snapshot.js'

/** The table of a backup with its time. No other database has it. */
export const INFO_TABLE = 'backup_info'

export interface BackupOptions {
  /** Replaces an existing file. */
  force?: boolean
  /** Milliseconds since 1970. */
  now?: number
}

/**
 * Writes a snapshot of an embedded database to a file, also while the service runs. The file appears completely or not
 * at all. Returns its size in bytes. Throws StartError.
 */
export async function backupState(
  from: Embedded,
  path: string,
  { force = false, now = Date.now() }: BackupOptions = {},
): Promise<number> {
  assertFree(path, force)
  assertPresent(from)
  await assertComplete(from)
  try {
    return await makeFile(path, force, async (temporary) => {
      vacuumInto(pathOf(from), temporary)
      addInfo(temporary, now)
      return statSync(temporary).size
    })
  } catch (error) {
    throw error instanceof StartError ? error : cannotBeUsed({ kind: 'file', path }, error)
  }
}

/** Throws StartError if there is no state of a known version, or an incomplete one. */
async function assertComplete(from: Embedded): Promise<void> {
  const snapshot = await openSnapshot(from)
  try {
    const age = ageOfState(snapshot.versions)
    if (age === 'none') throw new StartError([`${nameOf(from)} holds no state of Tidegate.`])
    if (age === 'newer')
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
export function vacuumInto(from: string, to: string): void {
  const db = new Database(from, { readonly: true, timeout: PROVIDER_LIMITS.transfer.locked })
  try {
    db.prepare('VACUUM INTO ?').run([to])
  } finally {
    db.close()
  }
}

function addInfo(path: string, now: number): void {
  const db = new Database(path)
  try {
    // an embedded database that was once a backup has the table already
    db.exec(`DROP TABLE IF EXISTS ${INFO_TABLE}`)
    db.exec(`CREATE TABLE ${INFO_TABLE} (at BIGINT NOT NULL)`)
    db.prepare(`INSERT INTO ${INFO_TABLE} (at) VALUES (?)`).run([now])
    const [{ quick_check: result } = {}] = db.pragma('quick_check(1)') as { quick_check?: string }[]
    if (result !== 'ok') throw Object.assign(new Error('It is damaged.'), { code: 'SQLITE_CORRUPT' })
  } finally {
    db.close()
  }
}
