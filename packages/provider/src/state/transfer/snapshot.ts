import { type Dialect, numbered, type Query, type Result, type Value } from '@tidegate/database'
import { publicError } from '@tidegate/database/postgres'
import { Statements } from '@tidegate/database/sqlite'
import Database from 'libsql'
import type { Identity } from '../identity.js'
import { identityOf } from '../identity.js'
import { cannotBeUsed, type Place, pathOf, readingServers } from './place.js'

export type Run = (query: Query) => Promise<Result>

/** A consistent view of a database. It does not block writers. */
export interface Snapshot {
  readonly dialect: Dialect
  /** Number of applied migrations; 0 for a foreign database. */
  readonly version: number
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
  const db = new Database(path, { readonly: true, timeout: 5000 })
  try {
    const statements = new Statements(db)
    const run: Run = async (query) => statements.run(query)
    db.exec('BEGIN')
    // the first read takes the snapshot
    const version = Number((await run(text('SELECT user_version AS n FROM pragma_user_version'))).rows[0]?.n)
    const found = await run(text(`SELECT name FROM sqlite_master WHERE name = 'nonces'`))
    return {
      dialect: 'sqlite',
      version: found.rows.length > 0 ? version : 0,
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
    const [schema] = (await run(text(`SELECT to_regclass('tidegate_schema') IS NOT NULL AS there`))).rows
    const version = schema?.there
      ? Number((await run(text('SELECT version FROM tidegate_schema'))).rows[0]?.version)
      : 0
    return { dialect: 'postgres', version, run, close: () => client.end().catch(() => undefined) }
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

/** Returns a statement without values. */
export const text = (sql: string): Query => ({ text: sql, values: [] })

/** Returns the identity of a state; undefined for early versions. */
export async function identityIn({ dialect, run }: Pick<Snapshot, 'dialect' | 'run'>): Promise<Identity | undefined> {
  const there =
    dialect === 'sqlite'
      ? `SELECT count(*) AS n FROM sqlite_master WHERE name = 'identity'`
      : `SELECT count(*) AS n FROM (SELECT to_regclass('identity') AS found) AS one WHERE found IS NOT NULL`
  if (Number((await run(text(there))).rows[0]?.n) === 0) return undefined
  return identityOf((await run(text('SELECT id, role FROM identity ORDER BY id'))).rows)
}
