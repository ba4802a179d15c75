import type { Logger, TickBatch } from '@tidegate/common'
import { type Driver, faultOf, publicParts, startErrorOf } from '@tidegate/database'
import { StartError } from '@tidegate/protocol'
import type { Settings } from '../config/schema.js'
import { embeddedSize } from './marker.js'
import { reasonOf } from './reasons.js'
import { assertFilePresent, assertSameState, type ExpectedState, recordState } from './state-guard.js'
import { type StateStore, sqlStore } from './stores.js'

interface OpenOptions {
  log?: Logger | undefined
  batch?: TickBatch | undefined
  /** Id of the state that the database must hold, if known. */
  expected?: string | undefined
  /** Opens the database for inspection only: the marker of the folder stays unchanged. */
  inspectOnly?: boolean | undefined
  /** Opens the database read-only beside its users: no migration, lock or record. */
  readOnly?: boolean | undefined
}

/**
 * Opens the configured database: PostgreSQL if DATABASE_URL is set, else the embedded one. Throws StartError, also if it
 * does not hold the state of this installation.
 */
export async function openStore(
  settings: Settings,
  { inspectOnly, readOnly = false, ...options }: OpenOptions = {},
): Promise<StateStore> {
  const expectedState: ExpectedState = { settings, ...options }
  if (settings.DATABASE_URL === undefined) assertFilePresent(expectedState)
  const store = sqlStore(
    await openDriver(settings, settings.DATABASE_URL === undefined ? 'embedded' : 'postgres', { ...options, readOnly }),
  )
  try {
    // a read-only connection cannot record an accepted loss of state
    if (!readOnly || !settings.ALLOW_STATE_LOSS) await assertSameState(store.identity, expectedState)
    if (!inspectOnly && !readOnly) await recordState(store.identity, expectedState)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens one of the two databases. Throws StartError. */
async function openDriver(
  settings: Settings,
  database: 'embedded' | 'postgres',
  options: Pick<OpenOptions, 'log' | 'batch' | 'readOnly'> = {},
): Promise<Driver> {
  const { DATABASE_URL: url = '', DATABASE_CONNECTIONS: connections, DATABASE_TIMEOUT: timeout } = settings
  const { STATE_DIR: folder } = settings
  const { readOnly = false } = options
  if (readOnly && database === 'embedded' && embeddedSize(folder) === 0)
    throw new StartError([`STATE_DIR: there is no database in ${folder}.`])
  try {
    // on demand: only one of the two clients is loaded
    if (database === 'embedded') return (await import('./sqlite.js')).openSqlite(folder, options)
    const { openPostgres } = await import('./postgres.js')
    return await openPostgres({ url, connections, timeout, log: options.log, readOnly })
  } catch (error) {
    if (database === 'embedded')
      throw startErrorOf(faultOf(error), `STATE_DIR: the database in ${folder} cannot be opened: ${reasonOf(error)}.`)
    throw startErrorOf(faultOf(error), `DATABASE_URL: ${addressOf(url)} cannot be used: ${reasonOf(error)}.`)
  }
}

/** Names a PostgreSQL database by user and host, without the secrets of its URL. */
function addressOf(url: string): string {
  const { user, host, pathname } = publicParts(url)
  const name = decodeURIComponent(pathname.slice(1)) || 'of the user'
  return `the database ${name} at ${host || 'the local socket'}${user ? ` as user ${user}` : ''}`
}
