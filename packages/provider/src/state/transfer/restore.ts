import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REFRESH_ALL } from '@tidegate/catalog'
import type { Driver } from '@tidegate/database'
import { DATABASE_FILE, InUseError } from '@tidegate/database/sqlite'
import { StartError } from '@tidegate/protocol'
import { cutOverStore } from '../../auth/cut-over-table.js'
import type { Identity } from '../identity.js'
import { identityStore, markCopying, replaceState } from '../identity.js'
import { readMarker, writeMarker } from '../marker.js'
import { openSqlite } from '../sqlite.js'
import { holdsState } from './admission.js'
import { INFO_TABLE, vacuumInto } from './backup.js'
import { lineOf } from './copy.js'
import { compareCounts, copyTables } from './pass.js'
import { type Database, explained, nameOf, openExclusive } from './place.js'
import { copiedTables, SCHEMA_VERSION } from './schema.js'
import { identityIn, openSnapshot, type Snapshot, text } from './snapshot.js'

export interface RestoreOptions {
  /** The state folder of the installation, whose marker records where its state is. */
  folder: string
  /** Replaces an existing state, or goes back to before a move. */
  force?: boolean
  /** Milliseconds since 1970. */
  now?: number
  /** Receives a line for the operator. */
  report: (line: string) => void
}

/**
 * Restores the state of a backup into a database, as a new state. What was accepted since the backup is unknown, so the
 * cut-over time is set to now: nonces that can be read as an earlier time are refused. Existing nonces of the database
 * do not decrease. May be interrupted and repeated. Throws StartError.
 */
export async function restoreState(path: string, to: Database, options: RestoreOptions): Promise<void> {
  if (!existsSync(path)) throw new StartError([`${path} does not exist.`])
  await withCurrentSchema(path, async (backup, identity) => {
    const target = await openExclusive(to).catch((error: unknown) => {
      throw error instanceof InUseError ? new StartError([`${nameOf(to)}: ${error.message}.`]) : error
    })
    try {
      await explained(to, target, () => fill(target, { backup, identity, path, to }, options))
    } finally {
      await target.close()
    }
  })
}

interface Restored {
  backup: Snapshot
  identity: Identity
  path: string
  to: Database
}

async function fill(target: Driver, { backup, identity, path, to }: Restored, options: RestoreOptions): Promise<void> {
  const { folder, force = false, now = Date.now(), report } = options
  const current = await identityStore(target).get()
  const isUnfinished = current.copying === identity.id
  if (!force && !isUnfinished && (current.copying !== undefined || (await holdsState(target))))
    throw new StartError([`${nameOf(to)} holds a state: use an empty database, or replace that with --force.`])
  const recorded = recordedIn(folder, force)
  const known = [identity.id, ...identity.contains, current.id, ...current.contains]
  if (!force && recorded !== undefined && !known.includes(recorded))
    throw new StartError([
      `${folder}: the state of this installation is not that of ${path}, or was moved to another database since. To go back nevertheless, use --force.`,
    ])
  if (!force && identity.successor !== undefined)
    throw new StartError([`${path}: its state had been moved to another database before. To go back, use --force.`])
  await markCopying(target, identity.id)
  // first, so that it applies even if the rest fails
  await cutOverStore(target).raise(now)
  const copied = await copyTables(copiedTables(), backup, target, (table) => report(lineOf(table)))
  await compareCounts(copied, target)
  await target.query({ text: `${REFRESH_ALL} ON CONFLICT (chain_id, nft) DO UPDATE SET findable = 0`, values: [] })
  const former = [identity.id, ...identity.contains, ...(recorded === undefined ? [] : [recorded])]
  await replaceState(target, former)
  const { id } = await identityStore(target).get()
  if (recorded !== undefined || to.kind === 'embedded')
    writeMarker(folder, { database: to.kind === 'embedded' ? 'embedded' : 'postgres', id })
  report(`cut-over: ${new Date((await cutOverStore(target).get()) as number).toISOString()}`)
}

/** Returns the id of the state that the folder's marker records. */
function recordedIn(folder: string, force: boolean): string | undefined {
  try {
    return readMarker(folder)?.id
  } catch (error) {
    if (force) return undefined
    throw new StartError([`${folder}: ${(error as Error).message}. To restore nevertheless, use --force.`])
  }
}

/** Opens a backup. One of an earlier version is migrated in a temporary copy. */
async function withCurrentSchema(
  path: string,
  work: (backup: Snapshot, identity: Identity) => Promise<void>,
): Promise<void> {
  const file = await openSnapshot({ kind: 'file', path })
  try {
    if (file.version === 0) throw new StartError([`${path} is not a backup of Tidegate.`])
    if (file.version > SCHEMA_VERSION) throw new StartError([`${path} was made by a newer version of Tidegate.`])
    await assertIntact(file, path)
    if (file.version === SCHEMA_VERSION) return await work(file, (await identityIn(file)) as Identity)
  } finally {
    await file.close()
  }
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-restore-'))
  try {
    await vacuumInto({ kind: 'file', path }, join(folder, DATABASE_FILE))
    await openSqlite(folder).close()
    const migrated = await openSnapshot({ kind: 'embedded', folder })
    try {
      await work(migrated, (await identityIn(migrated)) as Identity)
    } finally {
      await migrated.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function assertIntact({ run }: Snapshot, path: string): Promise<void> {
  const [row] = (await run(text('SELECT quick_check AS result FROM pragma_quick_check(1)'))).rows
  if (row?.result !== 'ok') throw new StartError([`${path} is damaged.`])
}

/** Returns when a backup was made, in milliseconds since 1970, if the file says so. */
export async function backupTime({ run }: Snapshot): Promise<number | undefined> {
  const { rows } = await run(text(`SELECT name FROM sqlite_master WHERE name = '${INFO_TABLE}'`))
  if (rows.length === 0) return undefined
  return (await run(text(`SELECT at FROM ${INFO_TABLE}`))).rows[0]?.at as number | undefined
}
