import type { PostgresDatabase } from '../../../../test/helpers/postgres-database.js'
import { emptyPostgres, onEachDatabase, type StoreSession } from '../../../../test/helpers/store-session.js'
import { parseNonce } from '../../src/auth/nonces/nonce.js'
import { openPostgresStore } from '../../src/state/postgres.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/stores.js'

export type StateSession = StoreSession<StateStore>

/** The sort key of a nonce. */
export const key = (nonce: string): string => parseNonce(nonce, 10n ** 39n).sortKey

/** An empty PostgreSQL database, opened as the state. */
export const emptyState = (server: Pick<PostgresDatabase, 'url'>) => emptyPostgres(server, openPostgresStore)

/** Runs a suite of the state's stores on both databases. Each test begins with an empty one. */
export const onBothDatabases = (suite: (session: StateSession) => void) =>
  onEachDatabase({ sqlite: openSqliteStore, postgres: openPostgresStore }, suite)
