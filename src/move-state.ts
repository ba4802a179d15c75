import { loadSettings } from './config/load.js'
import type { Settings } from './config/schema.js'
import { StartError } from './errors.js'
import { createLogger } from './logger.js'
import { noteState } from './state/belonging.js'
import { embeddedSize, MARKER_FILE, readMarker } from './state/marker.js'
import { MoveError, moveState } from './state/move.js'
import { openDriver } from './state/open.js'
import type { Driver } from './state/sql.js'
import { identityStore } from './state/tables/identity.js'

export type Database = 'embedded' | 'postgres'

/**
 * `tidegate move-state`: moves everything that must survive from the embedded database of STATE_DIR to the PostgreSQL
 * of DATABASE_URL, or back. The service and its other commands are stopped meanwhile. It may be run again after it was
 * ended in between. Answers the exit code. Throws StartError.
 */
export async function moveStateTo(target: Database, { config }: { config?: string }): Promise<number> {
  const settings = loadSettings(process.env, config)
  const { STATE_DIR: folder, DATABASE_URL: url } = settings
  if (url === undefined) throw new StartError(['DATABASE_URL: is needed, whichever way the state is moved.'])
  if (target === 'postgres' && embeddedSize(folder) === 0)
    throw new StartError([`STATE_DIR: there is no database in ${folder} whose state could be moved.`])
  const log = createLogger(settings.LOG_LEVEL)
  const source = target === 'postgres' ? 'embedded' : 'postgres'
  const from = await openDriver(settings, source, { log, alone: true })
  try {
    const to = await openDriver(settings, target, { log, alone: true })
    try {
      await refuseOtherSource(folder, from, to)
      const anything = await moveState(from, to, ({ what, moved, left }) => {
        const kept = left > 0 ? `, ${left} left, since what is there is not older` : ''
        process.stdout.write(`${what}: ${moved} moved${kept}\n`)
      }).catch((error: unknown) => {
        throw error instanceof MoveError ? new StartError([`${named(source)}: ${error.message}.`]) : error
      })
      if (!anything) process.stdout.write('it was moved already\n')
      // the settings with which the service is to be started from now on
      await noteState(identityStore(to), { settings: withDatabase(settings, target), log })
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
  const next = target === 'postgres' ? 'start with DATABASE_URL as it is set now' : 'start without DATABASE_URL'
  process.stdout.write(`the state is in ${named(target)} now: ${next}\n`)
  return 0
}

/** Throws StartError where the folder tells of a third state, which is neither the source's nor the target's. */
async function refuseOtherSource(folder: string, ...drivers: Driver[]): Promise<void> {
  const noted = readMarker(folder)
  if (noted === undefined) return
  const identities = await Promise.all(drivers.map((driver) => identityStore(driver).get()))
  if (identities.some(({ id, contains }) => id === noted.id || contains.includes(noted.id))) return
  throw new StartError([
    `STATE_DIR: the state of this installation was last in ${named(noted.database)}, but in another one than this. Check DATABASE_URL, or remove ${MARKER_FILE} from ${folder}.`,
  ])
}

const named = (database: Database) => (database === 'postgres' ? 'PostgreSQL' : 'the embedded database')

function withDatabase(settings: Settings, database: Database): Settings {
  return database === 'postgres' ? settings : { ...settings, DATABASE_URL: undefined }
}
