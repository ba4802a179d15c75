import { mkdirSync } from 'node:fs'
import type { Logger } from '@tidegate/common'
import { StartError } from '@tidegate/protocol'
import type { Settings } from '../config/schema.js'
import type { IdentityStore } from './identity.js'
import { embeddedSize, embeddedState, type Marker, readMarker, writeMarker } from './marker.js'

/**
 * The settings, and the state that their database must hold. Another database has old nonces or none, and would accept
 * replayed requests. The database records contained states and its successor; the marker of the folder records the
 * current state.
 */
export interface ExpectedState {
  settings: Settings
  /** State id of the first process of this service. Then no loss of state is allowed. */
  expected?: string | undefined
  log?: Logger | undefined
}

const REMEDY =
  'Used requests could be replayed. To bring the state over, run `tidegate state copy`, or `tidegate state restore` with a backup; to start without it, set ALLOW_STATE_LOSS=true for one start.'

/** Throws StartError if the embedded database is missing. Call it before opening, which creates the file. */
export function assertFilePresent({ settings, expected }: ExpectedState): void {
  const { STATE_DIR: folder } = settings
  const allowed = settings.ALLOW_STATE_LOSS && expected === undefined
  const marker = markerOf(settings)
  if (allowed || embeddedSize(folder) > 0 || (marker?.database !== 'embedded' && expected === undefined)) return
  throw new StartError([
    `STATE_DIR: the database in ${folder} is missing or empty, although it was in use. Used requests could be replayed. Bring it back with \`tidegate state restore\`; to start without it, set ALLOW_STATE_LOSS=true for one start.`,
  ])
}

/** Throws StartError if another database holds newer state, unless ALLOW_STATE_LOSS is set. */
export async function assertSameState(identity: IdentityStore, expectedState: ExpectedState): Promise<void> {
  const { settings, expected, log } = expectedState
  const current = await identity.get()
  if (current.copying !== undefined)
    throw new StartError([
      `${settings.DATABASE_URL === undefined ? 'STATE_DIR' : 'DATABASE_URL'}: the database holds an unfinished copy of a state. Run \`tidegate state copy\` or \`tidegate state restore\` again, as before.`,
    ])
  if (await identity.isRestored())
    throw new StartError([
      'DATABASE_URL: the database was restored from a dump. Requests that were used since the dump could be replayed. Stop every instance, and run `tidegate state restored` once.',
    ])
  const known = new Set([current.id, ...current.contains])
  const others = [...recordedStates(settings), ...(expected === undefined ? [] : [expected])].filter(
    (id) => !known.has(id),
  )
  if (current.successor === undefined && others.length === 0) return
  if (!settings.ALLOW_STATE_LOSS || expected !== undefined)
    throw new StartError([refusal(settings, current.successor !== undefined)])
  if (current.successor !== undefined) await identity.fork()
  await identity.contain(others)
  log?.warn({ database: databaseOf(settings) }, 'state was abandoned, as ALLOW_STATE_LOSS allows')
}

/** Records the location of the state in the folder. Warns if the folder is not writable. */
export async function recordState(identity: IdentityStore, { settings, log }: ExpectedState): Promise<void> {
  const { STATE_DIR: folder } = settings
  const marker: Marker = { database: databaseOf(settings), id: (await identity.get()).id }
  try {
    const recorded = readMarker(folder)
    if (recorded?.id === marker.id && recorded.database === marker.database) return
  } catch {
    // replaced below
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeMarker(folder, marker)
  } catch (error) {
    log?.warn({ code: (error as NodeJS.ErrnoException).code }, 'the state folder takes no note of where the state is')
  }
}

/** Returns the recorded state ids of the folder, except that of the opened embedded database. */
function recordedStates(settings: Settings): string[] {
  const folder = settings.STATE_DIR
  const marker = markerOf(settings)
  if (settings.DATABASE_URL === undefined) return marker ? [marker.id] : []
  const held = embeddedState(folder)
  // an existing but empty embedded database is no loss, whatever the marker says
  const recorded = marker && (marker.database === 'postgres' || embeddedSize(folder) === 0) ? [marker.id] : []
  return [...recorded, ...(held === undefined ? [] : [held])]
}

function markerOf(settings: Settings): Marker | undefined {
  try {
    return readMarker(settings.STATE_DIR)
  } catch (error) {
    if (settings.ALLOW_STATE_LOSS) return undefined
    throw new StartError([`STATE_DIR: in ${settings.STATE_DIR}, ${(error as Error).message}. ${REMEDY}`])
  }
}

function refusal(settings: Settings, moved: boolean): string {
  const { DATABASE_URL: url, STATE_DIR: folder } = settings
  if (url === undefined) {
    const where = moved ? 'was moved to' : 'is in'
    const which = moved || markerOf(settings)?.database === 'postgres' ? 'PostgreSQL' : 'another database'
    return `STATE_DIR: the state of this installation ${where} ${which}, and is newer than what ${folder} holds. ${REMEDY}`
  }
  if (moved) return `DATABASE_URL: the state of this database was moved to another one, and is newer there. ${REMEDY}`
  const held = embeddedState(folder) !== undefined || markerOf(settings)?.database === 'embedded'
  const where = held ? `in the embedded database of ${folder}` : 'in another PostgreSQL database'
  return `DATABASE_URL: the state of this installation is ${where}, and this database does not contain it. ${REMEDY}`
}

function databaseOf({ DATABASE_URL: url }: Settings): Marker['database'] {
  return url === undefined ? 'embedded' : 'postgres'
}
