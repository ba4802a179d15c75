import type pg from 'pg'
import { DATABASE_LIMITS } from '../limits.js'

export interface SessionOptions {
  /** Milliseconds for a statement. */
  timeout: number
  /** Name in the server's list of sessions. */
  name: string
  /** Refuses writes. */
  isReadOnly: boolean
}

/** The process of the server behind each connection. A pooler shows its own. */
const processes = new WeakMap<pg.ClientBase, number>()

/** Returns the id of the server's process of a connection. */
export const processOf = (client: pg.ClientBase): number | undefined => processes.get(client)

/**
 * Sets what statements rely on, since a role, a database or a URL may have other defaults. Runs after the connection:
 * poolers refuse most parameters of a start. Rejects if the database cannot store all texts.
 */
export async function beginSession(client: pg.ClientBase, options: SessionOptions): Promise<void> {
  const { rows } = await client.query(BEGIN_SESSION, settingsOf(options))
  processes.set(client, rows[0]?.process)
  if (rows[0]?.encoding !== 'UTF8') throw Object.assign(new Error('The encoding is not UTF8.'), { code: 'NOT_UTF8' })
}

/** Settings with one value. Zero is no limit. */
const FIXED = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  transaction_timeout: '0',
  idle_session_timeout: '0',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  gin_fuzzy_search_limit: '0',
  extra_float_digits: '3',
  bytea_output: 'hex',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  // the server notices within half a minute that a client machine has disappeared
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  // milliseconds within which a statement ends whose connection is closed
  client_connection_check_interval: '1000',
}

/**
 * Skips settings that the server does not have. It watches connections on Linux only. Without `synchronous_commit` an
 * acknowledged write may be lost; each other value than `off` is a choice of the operator, and so is a schema that exists.
 */
const BEGIN_SESSION = `
  SELECT count(set_config(name, value, false)) AS settings, current_setting('server_encoding') AS encoding,
    pg_backend_pid() AS process
  FROM (
    SELECT * FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
    UNION ALL SELECT 'synchronous_commit', 'on' WHERE current_setting('synchronous_commit') = 'off'
    UNION ALL SELECT 'search_path', '"$user", public' WHERE current_schema() IS NULL
  ) AS session
  WHERE current_setting(name, true) IS NOT NULL
    AND (name <> 'client_connection_check_interval' OR version() LIKE '%linux%')`

function settingsOf({ timeout, name, isReadOnly }: SessionOptions): [names: string[], values: string[]] {
  const settings = {
    ...FIXED,
    application_name: name,
    statement_timeout: `${timeout}`,
    idle_in_transaction_session_timeout: `${DATABASE_LIMITS.connections.idleTransaction}`,
    default_transaction_read_only: isReadOnly ? 'on' : 'off',
  }
  return [Object.keys(settings), Object.values(settings)]
}
