import { openSqliteStore } from '../state/sqlite.js'
import type { StateStore } from '../state/store.js'

/** The service's own embedded store, in a folder: to wrap it, or to compare another store with it. */
export function openReferenceStore(folder: string): StateStore {
  return openSqliteStore(folder)
}
