import type { Dialect, Schema } from '@tidegate/database'
import { batchWorker } from './batch-worker-url.js'
import { assignStateId, PING, probeWrites } from './identity.js'
import { migrationsFor } from './migrations/index.js'

/** The tables of the service. */
export function stateSchema(dialect: Dialect): Schema {
  return {
    migrations: migrationsFor(dialect),
    afterMigration: assignStateId,
    probe: PING,
    probeWrites,
    worker: batchWorker(),
  }
}
