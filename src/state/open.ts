import type { Settings } from '../config/schema.js'
import { StartError } from '../errors.js'
import type { Logger } from '../logger.js'
import { type Belonging, noteState, refuseLostFile, refuseOtherState } from './belonging.js'
import { openPostgres } from './postgres.js'
import type { Driver } from './sql.js'
import { sqlStore } from './sql-store.js'
import { openSqlite } from './sqlite.js'
import { InUseError } from './sqlite-file.js'
import type { StateStore } from './store.js'
import { inWords, troubleOf } from './trouble.js'

interface OpenOptions {
  log?: Logger
  /** The id of the state that it must hold, where that is known. */
  expected?: string
  /** Only to look at it: the folder takes no note of it. */
  look?: boolean
}

/**
 * Opens the configured database: PostgreSQL where there is a URL, else the embedded one. Throws StartError, also where
 * it is not the one that holds this installation's state.
 */
export async function openStore(settings: Settings, { look, ...options }: OpenOptions = {}): Promise<StateStore> {
  const belonging: Belonging = { settings, ...options }
  if (settings.DATABASE_URL === undefined) refuseLostFile(belonging)
  const store = sqlStore(
    await openDriver(settings, settings.DATABASE_URL === undefined ? 'embedded' : 'postgres', options),
  )
  try {
    await refuseOtherState(store.identity, belonging)
    if (!look) await noteState(store.identity, belonging)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens one of the two databases, whichever is configured. Throws StartError. */
export async function openDriver(
  settings: Settings,
  database: 'embedded' | 'postgres',
  options: { log?: Logger; alone?: boolean } = {},
): Promise<Driver> {
  const { DATABASE_URL: url = '', DATABASE_CONNECTIONS: connections, DATABASE_TIMEOUT: timeout } = settings
  const { STATE_DIR: folder } = settings
  try {
    if (database === 'embedded') return openSqlite(folder, options)
    return await openPostgres({ url, connections, timeout, ...options })
  } catch (error) {
    const where = database === 'embedded' ? `STATE_DIR: the database in ${folder}` : 'DATABASE_URL: the database'
    throw new StartError([`${where} cannot be ${database === 'embedded' ? 'opened' : 'used'}: ${reason(error)}.`])
  }
}

/** Why a database cannot be opened: in our own words, where the database's may quote anything. */
function reason(error: unknown): string {
  const { message } = error as Error
  if (error instanceof InUseError || message.includes('newer version')) return message.replace(/\.$/, '')
  return inWords(troubleOf(error))
}
