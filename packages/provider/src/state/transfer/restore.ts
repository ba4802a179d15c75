import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REFRESH_ALL } from '@tidegate/catalog'
import type { Driver } from '@tidegate/database'
import { DATABASE_FILE, InUseError } from '@tidegate/database/sqlite'
import { StartError } from '@tidegate/protocol'
import { cutOverStore } from '../../auth/nonces/cut-over-table.js'
import { type Identity, identityStore, markCopying, replaceState } from '../identity.js'
import { readMarker, writeMarker } from '../marker.js'
import { openSqlite } from '../sqlite.js'
import { holdsState } from './admission.js'
import { INFO_TABLE, vacuumInto } from './backup.js'
import { lineOf } from './copy.js'
import { compareCounts, copyTables } from './pass.js'
import { assertPresent, type Database, type Embedded, explained, nameOf, openExclusive } from './place.js'
import { ageOfState, copiedTables } from './schema.js'
import { identityIn, openSnapshot, type Snapshot, text } from './snapshot.js'

export interface RestoreOptions {
  /** State folder of the installation, with its marker. */
  folder: string
  /** Replaces an existing state, or goes back behind a move. */
  force?: boolean
  /** Milliseconds since 1970. */
  now?: number
  /** Receives a line for the operator. */
  report: (line: string) => void
}

/**
 * Restores a backup into an embedded database, as a new state. Requests since the backup are unknown, so the cut-over
 * time becomes now: older nonces are refused. Nonces of the database do not decrease. May be interrupted and repeated.
 * Throws StartError.
 */
export async function restoreState(path: string, to: Embedded, options: RestoreOptions): Promise<void> {
  if (!existsSync(path)) throw new StartError([`${path} does not exist.`])
  await withCurrentSchema(path, (backup, identity) =>
    withExclusive(to, (target) => fill(target, { backup, identity, path, to }, options)),
  )
}

/**
 * Accepts a database that pg_restore has filled, as a new state with the cut-over time now. May be interrupted and
 * repeated. Throws StartError.
 */
export async function acceptRestored(place: Database, options: RestoreOptions): Promise<void> {
  assertPresent(place)
  await withExclusive(place, async (db) => {
    const identity = await identityStore(db).get()
    if (identity.copying !== undefined)
      throw new StartError([`${nameOf(place)} holds an unfinished copy of a state: restore a complete one.`])
    const recorded = assertGoesBack(identity, [], nameOf(place), options)
    await cutOverStore(db).raise(options.now ?? Date.now())
    await becomeNewState(db, { identity, recorded, place }, options)
  })
}

async function withExclusive(place: Database, work: (db: Driver) => Promise<void>): Promise<void> {
  const db = await openExclusive(place).catch((error: unknown) => {
    throw error instanceof InUseError ? new StartError([`${nameOf(place)}: ${error.message}.`]) : error
  })
  try {
    await explained(place, db, () => work(db))
  } finally {
    await db.close()
  }
}

interface Restored {
  backup: Snapshot
  identity: Identity
  path: string
  to: Embedded
}

async function fill(target: Driver, { backup, identity, path, to }: Restored, options: RestoreOptions): Promise<void> {
  const { force = false, now = Date.now(), report } = options
  const current = await identityStore(target).get()
  const isUnfinished = current.copying === identity.id
  if (!force && !isUnfinished && (current.copying !== undefined || (await holdsState(target))))
    throw new StartError([`${nameOf(to)} holds a state: use an empty database, or replace that with --force.`])
  const recorded = assertGoesBack(identity, [current.id, ...current.contains], path, options)
  await markCopying(target, identity.id)
  // first, so that it applies even if the copy fails
  await cutOverStore(target).raise(now)
  const copied = await copyTables(copiedTables(), backup, target, (table) => report(lineOf(table)))
  await compareCounts(copied, target)
  await target.query({ text: REFRESH_ALL, values: [] })
  await becomeNewState(target, { identity, recorded, place: to }, options)
}

/**
 * Refuses a state of another installation, or one that was moved elsewhere, unless forced. Returns the state id of the
 * marker. `source` names the state in errors. Throws StartError.
 */
function assertGoesBack(
  identity: Identity,
  known: string[],
  source: string,
  { folder, force = false }: RestoreOptions,
): string | undefined {
  const recorded = recordedIn(folder, force)
  if (force) return recorded
  if (recorded !== undefined && ![identity.id, ...identity.contains, ...known].includes(recorded))
    throw new StartError([
      `${folder}: the state of this installation is not that of ${source}, or was moved to another database since. To go back nevertheless, use --force.`,
    ])
  if (identity.successor !== undefined)
    throw new StartError([`${source}: its state had been moved to another database before. To go back, use --force.`])
  return recorded
}

/** Gives a restored state a new id, since copies of the lost state will not contain its future nonces. */
async function becomeNewState(
  db: Driver,
  { identity, recorded, place }: { identity: Identity; recorded: string | undefined; place: Database },
  { folder, report }: RestoreOptions,
): Promise<void> {
  await replaceState(db, [identity.id, ...identity.contains, ...(recorded === undefined ? [] : [recorded])])
  const { id } = await identityStore(db).get()
  if (recorded !== undefined || place.kind === 'embedded') writeMarker(folder, { database: place.kind, id })
  report(`cut-over: ${new Date((await cutOverStore(db).get()) as number).toISOString()}`)
}

/** Returns the state id of the folder's marker. */
function recordedIn(folder: string, force: boolean): string | undefined {
  try {
    return readMarker(folder)?.id
  } catch (error) {
    if (force) return undefined
    throw new StartError([`${folder}: ${(error as Error).message}. To restore nevertheless, use --force.`])
  }
}

/** Opens a backup. A backup of an earlier version is migrated in a temporary copy. */
async function withCurrentSchema(
  path: string,
  work: (backup: Snapshot, identity: Identity) => Promise<void>,
): Promise<void> {
  const file = await openSnapshot({ kind: 'file', path })
  try {
    const age = ageOfState(file.versions)
    if (age === 'none') throw new StartError([`${path} is not a backup of Tidegate.`])
    if (age === 'newer') throw new StartError([`${path} was made by a newer version of Tidegate.`])
    await assertIntact(file, path)
    if (age === 'current') return await work(file, (await identityIn(file)) as Identity)
  } finally {
    await file.close()
  }
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-restore-'))
  try {
    vacuumInto(path, join(folder, DATABASE_FILE))
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

/** Returns the time of a backup in milliseconds since 1970; undefined if the file has none. */
export async function backupTime({ run }: Snapshot): Promise<number | undefined> {
  const { rows } = await run(text(`SELECT name FROM sqlite_master WHERE name = '${INFO_TABLE}'`))
  if (rows.length === 0) return undefined
  return (await run(text(`SELECT at FROM ${INFO_TABLE}`))).rows[0]?.at as number | undefined
}
