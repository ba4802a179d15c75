import type { Driver } from '@tidegate/database'
import { openSqlite as open, type SqliteOptions } from '@tidegate/database/sqlite'
import { STATE_SCHEMA } from './schema.js'
import { type StateStore, sqlStore } from './stores.js'

/** Opens the embedded database of the service. Throws if it cannot be opened. */
export function openSqlite(folder: string, options?: SqliteOptions): Driver {
  return open(folder, STATE_SCHEMA, options)
}

/** Opens the stores of an embedded database. Throws if it cannot be opened. */
export function openSqliteStore(folder: string, options?: SqliteOptions): StateStore {
  return sqlStore(openSqlite(folder, options))
}
