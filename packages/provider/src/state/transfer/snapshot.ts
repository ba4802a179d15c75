import {
  type Dialect,
  numbered,
  type Query,
  type Result,
  type Value,
  VERSIONS_TABLE,
  type Versions,
  versionsFrom,
} from '@tidegate/database'
import { publicError } from '@tidegate/database/postgres'
import { Statements } from '@tidegate/database/sqlite'
import Database from 'libsql'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Identity } from '../identity.js'
import { identityOf } from '../identity.js'
import { cannotBeUsed, type Place, pathOf, readingServers } from './place.js'

export type Run = (query: Query) => Promise<Result>

/** A consistent view of a database. It does not block writers. */
export interface Snapshot {
  readonly dialect: Dialect
  /** The versions of its tables; empty for a foreign database. */
  readonly versions: Versions
  /** Runs a read-only statement. */
  run: Run
  close(): Promise<void>
}

/** Opens a snapshot, in a read-only transaction. Throws StartError. */
export async function openSnapshot(place: Place): Promise<Snapshot> {
  try {
    const snapshot = place.kind === 'postgres' ? await ofPostgres(place.url) : await ofSqlite(pathOf(place))
    const run: Run = (query) =>
      snapshot.run(query).catch((error: unknown) => {
        throw cannotBeUsed(place, error)
      })
    return { ...snapshot, run }
  } catch (error) {
    throw cannotBeUsed(place, error)
  }
}

async function ofSqlite(path: string): Promise<Snapshot> {
  const db = new Database(path, { readonly: true, timeout: PROVIDER_LIMITS.transfer.locked })
  try {
    const statements = new Statements(db)
    const run: Run = async (query) => statements.run(query)
    db.exec('BEGIN')
    // the first read takes the snapshot
    const found = await run(text(`SELECT name FROM sqlite_master WHERE name = '${VERSIONS_TABLE}'`))
    return {
      dialect: 'sqlite',
      versions: found.rows.length > 0 ? await versionsIn(run) : {},
      run,
      async close() {
        if (db.inTransaction) db.exec('ROLLBACK')
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

async function ofPostgres(url: string): Promise<Snapshot> {
  const client = await readingServers(url)
    .connect()
    .catch((error) => {
      throw publicError(error, url)
    })
  const run: Run = async ({ text, values }) => {
    const { rows, rowCount } = await client.query({ text: numbered(text), values })
    return { rows: rows as Record<string, Value>[], changes: rowCount ?? 0 }
  }
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const [schema] = (await run(text(`SELECT to_regclass('${VERSIONS_TABLE}') IS NOT NULL AS there`))).rows
    const versions = schema?.there ? await versionsIn(run) : {}
    return { dialect: 'postgres', versions, run, close: () => client.end().catch(() => undefined) }
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

const versionsIn = async (run: Run) =>
  versionsFrom((await run(text(`SELECT owner, version FROM ${VERSIONS_TABLE}`))).rows)

/** Returns a statement without values. */
export const text = (sql: string): Query => ({ text: sql, values: [] })

/** Returns the identity of a state; undefined for a foreign database. */
export async function identityIn({ versions, run }: Pick<Snapshot, 'versions' | 'run'>): Promise<Identity | undefined> {
  if (!versions.state) return undefined
  return identityOf((await run(text('SELECT id, role FROM identity ORDER BY id'))).rows)
}
