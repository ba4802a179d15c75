import { onEachDatabase, type StoreSession } from '../../../test/helpers/store-session.js'
import { openPostgres, type PostgresOptions } from '../../database/src/postgres/postgres.js'
import type { Schema } from '../../database/src/schema.js'
import type { Driver } from '../../database/src/sql.js'
import { openSqlite, type SqliteOptions } from '../../database/src/sqlite/sqlite.js'
import { batchWorker } from '../src/batch-worker-url.js'
import { indexStore } from '../src/index/tables/index-tables.js'
import { saleStore } from '../src/sales/sale-table.js'
import { CATALOG_TABLES } from '../src/schema.js'
import { searchStore } from '../src/search/search-store.js'
import { searchConsumer } from '../src/search/tables/consumer.js'
import { takedownStore } from '../src/takedowns/takedown-table.js'

/** A database with the tables of this package alone. */
export const CATALOG_SCHEMA: Schema = { tables: [CATALOG_TABLES], worker: batchWorker() }

/** The stores of this package on a database. */
export function catalogOn(db: Driver) {
  const search = searchStore(db)
  return {
    index: indexStore(db, searchConsumer(db.dialect)),
    search,
    takedowns: takedownStore(db),
    sales: saleStore(db),
    checkHealth: () => db.checkHealth(),
    async close() {
      await Promise.all([search.close(), db.close()])
    },
  }
}

export type Catalog = ReturnType<typeof catalogOn>
export type CatalogSession = StoreSession<Catalog>

export const sqliteDriver = (folder: string, options?: SqliteOptions) => openSqlite(folder, CATALOG_SCHEMA, options)
export const postgresDriver = (options: PostgresOptions) => openPostgres(CATALOG_SCHEMA, options)
export const sqliteCatalog = (folder: string, options?: SqliteOptions) => catalogOn(sqliteDriver(folder, options))
export const postgresCatalog = async (options: PostgresOptions) => catalogOn(await postgresDriver(options))

/** Runs a suite of the stores of this package on both databases. Each test begins with an empty one. */
export const onBothDatabases = (suite: (session: CatalogSession) => void) =>
  onEachDatabase({ sqlite: sqliteCatalog, postgres: postgresCatalog }, suite)
