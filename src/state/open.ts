import type { Settings } from '../config/schema.js'
import { StartError } from '../errors.js'
import type { Logger } from '../logger.js'
import { openPostgresStore } from './postgres.js'
import { openSqliteStore } from './sqlite.js'
import type { StateStore } from './store.js'

/** Opens the configured database: PostgreSQL where there is a URL, else the embedded one. Throws StartError. */
export async function openStore(settings: Settings, log?: Logger): Promise<StateStore> {
  const {
    DATABASE_URL: url,
    DATABASE_CONNECTIONS: connections,
    DATABASE_TIMEOUT: timeout,
    STATE_DIR: folder,
  } = settings
  if (url !== undefined)
    return openPostgresStore({ url, connections, timeout, ...(log ? { log } : {}) }).catch((error: Error) => {
      throw new StartError([`DATABASE_URL: the database cannot be used: ${error.message}.`])
    })
  try {
    return openSqliteStore(folder)
  } catch (error) {
    throw new StartError([`STATE_DIR: the database in ${folder} cannot be opened: ${(error as Error).message}.`])
  }
}
