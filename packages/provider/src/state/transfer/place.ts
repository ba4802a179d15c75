import { join, resolve } from 'node:path'
import { type Driver, describeFault, faultOf, publicParts, startErrorOf } from '@tidegate/database'
import { Servers } from '@tidegate/database/postgres'
import { DATABASE_FILE, InUseError } from '@tidegate/database/sqlite'
import { StartError, StateError } from '@tidegate/protocol'
import { folder } from '../../config/parsers/basic.js'
import { postgresUrl } from '../../config/parsers/network.js'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { embeddedSize } from '../marker.js'
import { openPostgres } from '../postgres.js'
import { reasonOf } from '../reasons.js'
import { openSqlite } from '../sqlite.js'

/** The location of a state: the embedded database of a folder, a file in that format, or PostgreSQL. */
export type Place = Embedded | { kind: 'file'; path: string } | { kind: 'postgres'; url: string }

/** The embedded database of a folder. */
export interface Embedded {
  kind: 'embedded'
  folder: string
}

/** A location that a service can use. */
export type Database = Exclude<Place, { kind: 'file' }>

/** Returns the name of a location for messages, without user and password. */
export function nameOf(place: Place): string {
  if (place.kind === 'embedded') return `the embedded database in ${place.folder}`
  if (place.kind === 'file') return place.path
  const { host, pathname } = publicParts(place.url)
  return `the PostgreSQL database ${host}${pathname}`
}

/** Parses `sqlite:DIR` or a PostgreSQL URL. Throws an Error without the text, which may contain a password. */
export function parseDatabase(text: string): Database {
  const path = /^sqlite:(?:\/\/)?(.+)$/s.exec(text)?.[1]
  if (path !== undefined) return { kind: 'embedded', folder: folder(path) }
  try {
    return { kind: 'postgres', url: postgresUrl(text) }
  } catch {
    throw new Error('must be sqlite:DIR or a postgres:// URL')
  }
}

/** Returns the database of the settings. */
export function configuredDatabase({
  DATABASE_URL: url,
  STATE_DIR: folder,
}: Pick<Settings, 'DATABASE_URL' | 'STATE_DIR'>): Database {
  return url === undefined ? { kind: 'embedded', folder } : { kind: 'postgres', url }
}

/** Whether two locations are the same database. */
export function isSame(a: Place, b: Place): boolean {
  const normal = (place: Place) => {
    if (place.kind === 'embedded') return resolve(place.folder, DATABASE_FILE)
    return place.kind === 'file' ? resolve(place.path) : nameOf(place)
  }
  return normal(a) === normal(b)
}

/** Returns the path of a place that is a file. */
export function pathOf(place: Exclude<Place, { kind: 'postgres' }>): string {
  return place.kind === 'file' ? place.path : join(place.folder, DATABASE_FILE)
}

/** Throws StartError if an embedded database is missing: opening would create it. */
export function assertPresent(place: Database): void {
  if (place.kind === 'embedded' && embeddedSize(place.folder) === 0)
    throw new StartError([`${nameOf(place)} does not exist or is empty.`])
}

/** SQL that counts sessions of the service. A service that lost its lock session for a moment is still connected. */
const OTHERS = `
  SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'tidegate' AND pid <> pg_backend_pid()`

/**
 * Opens a database exclusively, and migrates its schema. Throws InUseError if it has users, and StartError if it cannot
 * be opened.
 */
export async function openExclusive(place: Database): Promise<Driver> {
  let driver: Driver | undefined
  try {
    if (place.kind === 'embedded') return openSqlite(place.folder, { exclusive: true })
    const { statementTimeout: timeout } = PROVIDER_LIMITS.transfer
    driver = await openPostgres({ url: place.url, connections: 2, timeout, exclusive: true, name: TOOL })
    if (Number((await driver.query({ text: OTHERS, values: [] })).rows[0]?.n) > 0) throw new InUseError(true)
    return driver
  } catch (error) {
    await driver?.close()
    throw error instanceof InUseError ? error : cannotBeUsed(place, error)
  }
}

/** Name of these commands' sessions in PostgreSQL. */
const TOOL = 'tidegate state'

/** Returns the error for a failing database. */
export function cannotBeUsed(place: Place, error: unknown): Error {
  if (error instanceof StartError) return error
  return startErrorOf(faultOf(error), `${nameOf(place)} cannot be used: ${reasonOf(error)}.`)
}

/** Runs work that writes to a database. Explains a StateError, which has no cause, by the fault of the database. */
export async function explained<T>(
  place: Place,
  driver: Pick<Driver, 'checkHealth'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StateError)) throw error
    const fault = await driver.checkHealth()
    if (!fault) throw new StartError([`${nameOf(place)} failed.`])
    throw startErrorOf(fault, `${nameOf(place)} failed: ${describeFault(fault)}.`)
  }
}

/** Returns the servers of a PostgreSQL URL, to read from. */
export function readingServers(url: string): Servers {
  const { connectTimeout, statementTimeout: timeout } = PROVIDER_LIMITS.transfer
  return new Servers({ url, connectTimeout, timeout, name: TOOL, isReadOnly: true })
}
