import type { Driver } from '@tidegate/database'
import { openPostgres as open, type PostgresOptions } from '@tidegate/database/postgres'
import { STATE_SCHEMA } from './schema.js'
import { type StateStore, sqlStore } from './stores.js'

/** Opens a PostgreSQL database for the service. Rejects with an Error that does not quote the URL. */
export function openPostgres(options: PostgresOptions): Promise<Driver> {
  return open(STATE_SCHEMA, options)
}

/** Opens the stores of a PostgreSQL database. Rejects as `openPostgres`. */
export async function openPostgresStore(options: PostgresOptions): Promise<StateStore> {
  return sqlStore(await openPostgres(options))
}
