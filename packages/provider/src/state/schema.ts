import type { Dialect, Schema } from '@tidegate/database'
import { raiseCutOver } from '../auth/nonces/cut-over-table.js'
import { batchWorker } from './batch-worker-url.js'
import { assignStateId, PING, probeWrites } from './identity.js'
import { migrationsFor } from './migrations/index.js'

/** The tables of the service. */
export function stateSchema(dialect: Dialect): Schema {
  return {
    migrations: migrationsFor(dialect),
    afterMigration: assignStateId,
    // a nonce of an earlier time may be among the lost writes
    afterPromotion: () => [raiseCutOver(Date.now())],
    probe: PING,
    probeWrites,
    worker: batchWorker(),
  }
}
