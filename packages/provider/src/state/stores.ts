import {
  type IndexConsumer,
  indexStore,
  saleStore,
  searchConsumer,
  searchStore,
  takedownStore,
} from '@tidegate/catalog'
import { type Dialect, type Driver, type HealthCheckOptions, mayLoseWrites } from '@tidegate/database'
import { hostedStore, recordPublicUses } from '@tidegate/hosting'
import { accountStore } from '../accounts/account-store.js'
import { cutOverStore } from '../auth/nonces/cut-over-table.js'
import { nonceStore } from '../auth/nonces/nonce-table.js'
import { revocationStore } from '../auth/revocation-table.js'
import { deliveryStore } from '../deliveries/delivery-table.js'
import { proofStore } from '../deliveries/proof-table.js'
import { usageStore } from '../http/limits/usage-table.js'
import { eventStore } from '../webhooks/event-table.js'
import { identityStore } from './identity.js'
import { milestoneStore } from './milestones.js'

/**
 * Creates the stores of all rooms on a migrated database. A method's change is durable when its promise resolves, and
 * atomic unless documented otherwise. If the database fails, methods reject with StateError and write nothing. Addresses
 * have checksums.
 */
export function sqlStore(db: Driver) {
  const search = searchStore(db)
  const hosted = hostedStore(db)
  return {
    nonces: nonceStore(db),
    revocations: revocationStore(db),
    index: indexStore(db, indexConsumer(db.dialect)),
    proofs: proofStore(db),
    usage: usageStore(db),
    deliveries: deliveryStore(db),
    milestones: milestoneStore(db),
    cutOver: cutOverStore(db),
    identity: identityStore(db),
    search,
    takedowns: takedownStore(db),
    sales: saleStore(db),
    events: eventStore(db),
    hosted,
    accounts: accountStore(db, hosted),
    /** The database itself, for rooms that are loaded on demand. */
    driver: db,
    /** Returns the fault of the database, if any. Reads from the database; after a failure, or when idle, also probes a write. */
    checkHealth: (options?: HealthCheckOptions) => db.checkHealth(options),
    /** Time of the last successful write of this instance, in milliseconds since 1970; undefined before the first one. */
    lastWrite: () => db.lastWrite,
    mayLoseWrites: () => mayLoseWrites(db),
    async close() {
      // a search holds a connection until it has ended
      await Promise.all([search.close(), db.close()])
    },
  }
}

/** Returns the consumer of the index: search, and the uses of public files, which `HostedUses` compares with documents. */
function indexConsumer(dialect: Dialect): IndexConsumer {
  const search = searchConsumer(dialect)
  return {
    ...search,
    *applied(generation, changes, skipUnstorable) {
      yield* search.applied(generation, changes, skipUnstorable)
      const documents = changes.flatMap((change) => (change.kind === 'metadata' ? [change.metadata] : []))
      yield* recordPublicUses(generation, documents)
    },
  }
}

/** The stores of all rooms, for what wires them. A room gets its own alone. */
export type StateStore = ReturnType<typeof sqlStore>
