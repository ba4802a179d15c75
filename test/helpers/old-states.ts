import Database from 'libsql'
import pg from 'pg'
import { migrationsFor } from '../../packages/provider/src/state/migrations/index.js'
import { allTables } from '../../packages/provider/src/state/transfer/schema.js'

type Row = Record<string, string | number>

/** The rows of a table in an earlier version. */
export interface Filled {
  name: string
  rows: Row[]
}

/** Columns that do not accept every value. */
const VALUES: Record<string, (at: number) => string | number> = {
  'nonces.nonce': (at) => String(at + 1).padStart(40, '0'),
  'wallet_nonces.nonce': (at) => String(at + 1).padStart(40, '0'),
  // a database has a single cut-over time
  'cut_over.id': () => 1,
  'identity.role': (at) => (at === 0 ? 'self' : 'contained'),
  'index_reading.role': (at) => (at === 0 ? 'live' : 'next'),
}

/** Tables with a single row. */
const SINGLE = ['cut_over']

/** The rows of each version: both databases get the same. */
const made = new Map<number, Filled[]>()

/** Rows for every table of a version, consistent with one another: all belong to one chain. */
export function rowsOfVersion(version: number): Filled[] {
  const rows = made.get(version) ?? makeRows(version)
  made.set(version, rows)
  return rows
}

function makeRows(version: number): Filled[] {
  const types = columnTypes(version)
  return allTables(version).map(({ name, columns }) => {
    const count = SINGLE.includes(name) ? 1 : 3
    const rows = Array.from({ length: count }, (_, at) =>
      Object.fromEntries(columns.map((column) => [column, valueFor(name, column, types, at)])),
    )
    return { name, rows: name === 'index_reading' ? rows.slice(0, 2) : rows }
  })
}

function valueFor(table: string, column: string, types: Map<string, string>, at: number): string | number {
  const special = VALUES[`${table}.${column}`]
  if (special) return special(at)
  return /INT|REAL|DOUBLE/.test(types.get(`${table}.${column}`) ?? '') ? at + 1 : `${column} ${at}`
}

function columnTypes(version: number): Map<string, string> {
  const db = new Database(':memory:')
  for (const step of migrationsFor('sqlite').slice(0, version)) db.exec(step)
  const types = allTables(version).flatMap(({ name }) => {
    const columns = db.prepare(`SELECT name, type FROM pragma_table_info('${name}')`).all() as Record<string, string>[]
    return columns.map((column): [string, string] => [`${name}.${column.name}`, column.type as string])
  })
  db.close()
  return new Map(types)
}

const insertion = (name: string, row: Row, place: (at: number) => string) =>
  `INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
    .map((_, at) => place(at))
    .join(', ')})
   ON CONFLICT DO NOTHING`

/** Creates an embedded database as of a version, the number of its migrations, with rows in every table. */
export function makeOldSqlite(path: string, version: number): Filled[] {
  const filled = rowsOfVersion(version)
  const db = new Database(path)
  db.exec('BEGIN')
  for (const step of migrationsFor('sqlite').slice(0, version)) db.exec(step)
  for (const { name, rows } of filled)
    for (const row of rows) db.prepare(insertion(name, row, () => '?')).run(Object.values(row))
  db.exec('COMMIT')
  db.pragma(`user_version = ${version}`)
  db.close()
  return filled
}

/** The same in an empty PostgreSQL database. */
export async function makeOldPostgres(url: string, version: number): Promise<Filled[]> {
  const filled = rowsOfVersion(version)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  for (const step of migrationsFor('postgres').slice(0, version)) await client.query(step)
  await client.query('CREATE TABLE tidegate_schema (version BIGINT NOT NULL)')
  await client.query('INSERT INTO tidegate_schema VALUES ($1)', [version])
  for (const { name, rows } of filled)
    for (const row of rows)
      await client.query(
        insertion(name, row, (at) => `$${at + 1}`),
        Object.values(row),
      )
  await client.query('COMMIT')
  await client.end()
  return filled
}
