import { mkdirSync } from 'node:fs'
import type { Settings } from '../config/schema.js'
import { StartError } from '../errors.js'
import type { Logger } from '../logger.js'
import { embeddedSize, embeddedState, type Marker, readMarker, writeMarker } from './marker.js'
import type { IdentityStore } from './store.js'

/**
 * Whether the database that the settings name is the one that holds this installation's state. One that is not would
 * begin with old nonces or none, and accept again what was accepted before. What is known of it stands in the database
 * itself (which other states are contained in it, where it went) and in the marker of the state folder.
 */
export interface Belonging {
  settings: Settings
  /** The id of the state that this service has begun with, where this is a further process of it: no loss is allowed. */
  expected?: string
  log?: Logger
}

const REMEDY =
  'Requests that were used up would pass again. To bring the state over, run `tidegate move-state`; to start without it, set ALLOW_STATE_LOSS=true for one start.'

/** Before an embedded database is opened, which makes a missing one. Throws StartError. */
export function refuseLostFile({ settings, expected }: Belonging): void {
  const { STATE_DIR: folder } = settings
  const allowed = settings.ALLOW_STATE_LOSS && expected === undefined
  const marker = markerOf(settings)
  if (allowed || embeddedSize(folder) > 0 || (marker?.database !== 'embedded' && expected === undefined)) return
  throw new StartError([
    `STATE_DIR: the database in ${folder} is missing or empty, although it was in use. Requests that were used up would pass again. Bring it back from a backup; to start without it, set ALLOW_STATE_LOSS=true for one start.`,
  ])
}

/** Throws StartError where another database holds newer state; goes on without that where the settings allow it. */
export async function refuseOtherState(identity: IdentityStore, belonging: Belonging): Promise<void> {
  const { settings, expected, log } = belonging
  const own = await identity.get()
  const known = new Set([own.id, ...own.contains])
  const others = [...elsewhere(settings), ...(expected === undefined ? [] : [expected])].filter((id) => !known.has(id))
  if (own.successor === undefined && others.length === 0) return
  if (!settings.ALLOW_STATE_LOSS || expected !== undefined)
    throw new StartError([refusal(settings, own.successor !== undefined)])
  if (own.successor !== undefined) await identity.fork()
  await identity.contain(others)
  log?.warn({ database: databaseOf(settings) }, 'state was given up, as ALLOW_STATE_LOSS says')
}

/** Notes in the folder where the state is. Where the folder cannot be written to, there is no such note. */
export async function noteState(identity: IdentityStore, { settings, log }: Belonging): Promise<void> {
  const { STATE_DIR: folder } = settings
  const marker: Marker = { database: databaseOf(settings), id: (await identity.get()).id }
  try {
    const noted = readMarker(folder)
    if (noted?.id === marker.id && noted.database === marker.database) return
  } catch {
    // it is replaced
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeMarker(folder, marker)
  } catch (error) {
    log?.warn({ code: (error as NodeJS.ErrnoException).code }, 'the state folder takes no note of where the state is')
  }
}

/** The states that the folder tells of, other than an embedded one that is opened anyway. */
function elsewhere(settings: Settings): string[] {
  const folder = settings.STATE_DIR
  const marker = markerOf(settings)
  if (settings.DATABASE_URL === undefined) return marker ? [marker.id] : []
  const held = embeddedState(folder)
  // an embedded database that is there and holds nothing is no loss, whatever the note says of it
  const noted = marker && (marker.database === 'postgres' || embeddedSize(folder) === 0) ? [marker.id] : []
  return [...noted, ...(held === undefined ? [] : [held])]
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
