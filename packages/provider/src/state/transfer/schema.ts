import { type Age, ageOf, upgrade, VERSIONS_TABLE, type Versions, versionsOf } from '@tidegate/database'
import Database from 'libsql'
import { STATE_SCHEMA } from '../schema.js'

/** A table. Both databases have the same columns and keys. */
export interface TableShape {
  name: string
  columns: string[]
  /** Columns of the primary key, in order. */
  key: string[]
}

/** Tables about the database itself. Those that exist only in PostgreSQL are not copied either. */
const LOCAL = ['identity', 'probe', VERSIONS_TABLE]

/** Tables that alone are not worth keeping: written at the first start, or limited to a period. */
const TRANSIENT = ['moments', 'usage_windows', 'proof_days']

/** The service rebuilds search rows from the index. The databases store them differently. */
const isSearch = (name: string) => name.startsWith('search_')

/** The service can read the index again from the chain. */
const isIndex = (name: string) => name.startsWith('index_')

/** Columns that only grow. The greater value wins, and the rows stay. */
const GROWING: Record<string, string> = {
  nonces: 'nonce',
  wallet_nonces: 'nonce',
  revocations: 'expires_at',
  cut_over: 'at',
  forgotten_accounts: 'at',
}

/** Returns the column of a table that must never decrease, if any. */
export const growingColumn = (name: string): string | undefined => GROWING[name]

/** The versions of a database that this version has migrated. */
const CURRENT = versionsOf(STATE_SCHEMA)

/** How the tables of a database compare with those of this version; none: it is not one of Tidegate. */
export function ageOfState(versions: Versions): Age | 'none' {
  return Object.keys(versions).length === 0 ? 'none' : ageOf(versions, STATE_SCHEMA)
}

/**
 * Returns every table of a copy, as of some versions. Reads them from a new database, so that no new table can be
 * forgotten.
 */
export function copiedTables(versions = CURRENT): TableShape[] {
  return allTables(versions).filter(({ name }) => !LOCAL.includes(name) && !isSearch(name))
}

/** Returns the tables whose rows cannot be recovered. */
export function durableTables(): string[] {
  const names = copiedTables().map(({ name }) => name)
  return names.filter((name) => !isIndex(name) && !TRANSIENT.includes(name))
}

/** The current tables: a copy asks for them several times, and each time would run all migrations. */
let current: readonly TableShape[] | undefined

/** Returns all tables of a new embedded database, without internal ones of SQLite and its full-text search. */
export function allTables(versions: Versions = CURRENT): readonly TableShape[] {
  if (ageOfState(versions) !== 'current') return tablesAt(versions)
  current ??= tablesAt(CURRENT)
  return current
}

function tablesAt(versions: Versions): TableShape[] {
  const db = new Database(':memory:')
  try {
    for (const step of upgrade(STATE_SCHEMA, 'sqlite', {}, versions)) db.exec(step)
    return tablesOf((text) => db.prepare(text).all() as Record<string, string | number>[])
  } finally {
    db.close()
  }
}

/** Returns the tables in the catalogue of an embedded database. */
function tablesOf(rows: (text: string) => Record<string, string | number>[]): TableShape[] {
  const tables = new Map<string, { columns: string[]; key: [at: number, column: string][] }>()
  for (const { name, column, pk } of rows(CATALOGUE)) {
    const table = tables.get(name as string) ?? { columns: [], key: [] }
    tables.set(name as string, table)
    table.columns.push(column as string)
    if (Number(pk) > 0) table.key.push([Number(pk), column as string])
  }
  return [...tables].map(([name, { columns, key }]) => ({
    name,
    columns,
    key: key.sort(([a], [b]) => a - b).map(([, column]) => column),
  }))
}

const CATALOGUE = `
  SELECT t.name AS name, c.name AS "column", c.pk AS pk
  FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
  WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND c.hidden = 0
  ORDER BY t.name, c.cid`
