import { openSqlite } from '../../database/src/sqlite/sqlite.js'
import { hostedStore } from '../src/hosted-table.js'
import { HOSTING_TABLES } from '../src/schema.js'
import type { PublishedAssets } from '../src/uses.js'

/** The store of hosted files in an embedded database with the tables of this package alone. */
export function sqliteHosted(folder: string) {
  const db = openSqlite(folder, { tables: [HOSTING_TABLES] })
  return { hosted: hostedStore(db), close: () => db.close() }
}

export type HostedState = ReturnType<typeof sqliteHosted>

/** An index in which no asset is published. */
export const NO_ASSETS: PublishedAssets = { asset: async () => undefined }
