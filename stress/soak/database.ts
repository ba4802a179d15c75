import { existsSync, statSync } from 'node:fs'
import type { DatabaseKind, Deployment } from '../torture/deployment.js'

/** What a database holds at rest. */
export interface Held {
  /** Connections of instances; 0 with the embedded database. */
  connections: number
  /** Sessions that hold a transaction open, or wait for a lock. */
  stuck: number
  /** The write-ahead log, in bytes. */
  wal: number
  /** Rows by table. */
  rows: Record<string, number>
}

const MIB = 2 ** 20
/** Maximum of a write-ahead log at rest: what each database keeps to write again. */
const WAL_SIZE = { embedded: 24 * MIB, postgres: 256 * MIB }
/** Connections above those of the first quiet phase: pools vary. */
const CONNECTION_SLACK = 4
/** Rows that any table may have above those of the first quiet phase: leases, for instance. */
const ROW_SLACK = 8

const SESSIONS = `SELECT count(*) AS connections,
  count(*) FILTER (WHERE state LIKE 'idle in transaction%' OR wait_event_type = 'Lock') AS stuck
  FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
const WAL = 'SELECT sum(size) AS wal FROM pg_ls_waldir()'
const TABLES = {
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  // the tables within a search index belong to SQLite
  embedded: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%' ORDER BY 1",
}

/** Measures what a database holds. */
export async function measureDatabase(deployment: Deployment): Promise<Held> {
  const { kind, databaseFile } = deployment
  const rows: Record<string, number> = {}
  for (const { name } of await deployment.rows(TABLES[kind])) {
    const [row] = await deployment.rows(`SELECT count(*) AS n FROM "${name}"`)
    rows[String(name)] = Number(row?.n)
  }
  if (kind === 'embedded') {
    const wal = `${databaseFile}-wal`
    return { connections: 0, stuck: 0, wal: existsSync(wal) ? statSync(wal).size : 0, rows }
  }
  const [sessions] = await deployment.rows(SESSIONS)
  const [log] = await deployment.rows(WAL)
  return { connections: Number(sessions?.connections), stuck: Number(sessions?.stuck), wal: Number(log?.wal), rows }
}

/**
 * Returns what a database holds too much of, compared with the first quiet phase. `expected`: how many rows those tables
 * may have that grow by design.
 */
export function excessOf(kind: DatabaseKind, held: Held, first: Held, expected: Record<string, number>): string[] {
  const rows = Object.entries(held.rows).flatMap(([table, count]) => {
    const most = expected[table] ?? (first.rows[table] ?? 0) + ROW_SLACK
    return count > most ? [`${count} rows in ${table}, at most ${most}`] : []
  })
  const others = [
    held.connections > first.connections + CONNECTION_SLACK &&
      `${held.connections} connections, at first ${first.connections}`,
    held.stuck > 0 && `${held.stuck} sessions in a transaction or behind a lock`,
    held.wal > WAL_SIZE[kind] && `a write-ahead log of ${Math.round(held.wal / MIB)} MiB`,
  ]
  return [...rows, ...others.filter((text) => text !== false)]
}
