import type { Driver } from './sql.js'
import type { StateStore } from './store.js'
import { cutOverStore } from './tables/cut-over.js'
import { deliveryStore } from './tables/deliveries.js'
import { hostedStore } from './tables/hosted.js'
import { identityStore } from './tables/identity.js'
import { indexStore } from './tables/index.js'
import { milestoneStore } from './tables/milestones.js'
import { nonceStore } from './tables/nonces.js'
import { proofStore } from './tables/proofs.js'
import { revocationStore } from './tables/revocations.js'
import { searchStore } from './tables/search.js'
import { usageStore } from './tables/usage.js'

/** Creates the state store on a migrated database. */
export function sqlStore(db: Driver): StateStore {
  return {
    nonces: nonceStore(db),
    revocations: revocationStore(db),
    index: indexStore(db),
    proofs: proofStore(db),
    usage: usageStore(db),
    deliveries: deliveryStore(db),
    milestones: milestoneStore(db),
    cutOver: cutOverStore(db),
    identity: identityStore(db),
    search: searchStore(db),
    hosted: hostedStore(db),
    checkHealth: (options) => db.checkHealth(options),
    lastWrite: () => db.lastWrite,
    close: () => db.close(),
  }
}
