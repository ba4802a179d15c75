import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll } from 'vitest'
import type { Driver } from '../../packages/database/src/sql.js'
import { type Database, openExclusive } from '../../packages/provider/src/state/transfer/place.js'
import { newFolder } from '../helpers/cleanup.js'
import { runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import { sized } from '../helpers/sizes.js'
import { fillNonces, type Running, SETTINGS_ALONE, valueIn } from '../helpers/states.js'

/** More than the rows of ten batches. */
export const NONCES = sized(8_000, 100_000)
export const KINDS = ['embedded', 'postgres'] as const
export const DIRECTIONS = [
  ['embedded', 'postgres'],
  ['postgres', 'embedded'],
  ['postgres', 'postgres'],
] as const

export const COUNT = 'SELECT count(*) AS n FROM nonces'
export const IS_UNFINISHED = `SELECT count(*) AS n FROM identity WHERE role = 'copying'`

export let folder: string
export const full: Record<string, Database> = {}
export let server: PostgresDatabase
let at = 0

/** Starts PostgreSQL, and fills a database of each kind with nonces, before the tests of a file. */
export function useStates(): void {
  beforeAll(async () => {
    folder = newFolder()
    server = await startPostgres()
    for (const kind of KINDS) {
      full[kind] = await empty(kind)
      await using(full[kind], (db) => fillNonces(db, NONCES))
    }
  })
}

/** A new database: empty, or on PostgreSQL a copy of a template. */
export async function empty(kind: Database['kind'], template?: string): Promise<Database> {
  if (kind === 'embedded') return { kind, folder: join(folder, `db_${++at}`) }
  return { kind, url: server.url(await server.another(template)) }
}
/** A copy of the full database, as another state with the same rows. */
export async function filled(kind: Database['kind']): Promise<Database> {
  const place = await empty(kind, kind === 'postgres' ? new URL(urlOf(full[kind])).pathname.slice(1) : undefined)
  if (place.kind === 'embedded') cpSync((full.embedded as { folder: string }).folder, place.folder, { recursive: true })
  return place
}
export async function using(place: Database, work: (db: Driver) => Promise<unknown>): Promise<void> {
  const db = await openExclusive(place)
  await work(db)
  await db.close()
}
export const urlOf = (place: Database | undefined) =>
  place?.kind === 'postgres' ? place.url : `sqlite:${place?.folder}`
export const configured = (place: Database) => ({
  ...SETTINGS_ALONE,
  ...(place.kind === 'postgres'
    ? { DATABASE_URL: place.url, STATE_DIR: join(folder, 'none') }
    : { STATE_DIR: place.folder }),
})
export const copyArgs = (from: Database, to: Database) => ['state', 'copy', '--from', urlOf(from), '--to', urlOf(to)]
export const copy = (from: Database, to: Database, ...more: string[]) => runHere([...copyArgs(from, to), ...more], {})
export const state = (place: Database, ...args: string[]) => runHere(['state', ...args], configured(place))
export const put = (place: Database, address: string, nonce: number) =>
  using(place, (db) =>
    db.query({ text: 'INSERT INTO nonces VALUES (?, ?)', values: [address, String(nonce).padStart(40, '0')] }),
  )
/**
 * Begins a command that fills a database, and kills it when rows have arrived. Where it was done by then, it begins
 * anew with other databases.
 */
export async function killInTheMiddle<T extends { to: Database }>(
  prepare: () => Promise<T>,
  begin: (places: T) => Running,
): Promise<T> {
  for (;;) {
    const places = await prepare()
    const running = begin(places)
    await untilRows(places.to)
    await running.kill()
    if (Number(await valueIn(places.to, IS_UNFINISHED)) === 1) return places
  }
}

/** Waits for the first rows of a copy, on one connection: each look must take less than a batch. */
export async function untilRows(place: Database): Promise<void> {
  if (place.kind === 'embedded')
    return eventually(async () => Number(await valueIn(place, COUNT).catch(() => 0)) > 0, undefined, 2)
  const client = new pg.Client({ connectionString: place.url })
  await client.connect()
  const rows = () => client.query('SELECT 1 FROM nonces LIMIT 1').catch(() => ({ rowCount: 0 }))
  await eventually(async () => (await rows()).rowCount === 1, undefined, 2).finally(() => client.end())
}
