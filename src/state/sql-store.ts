import type { Driver } from './sql.js'
import type { StateStore } from './store.js'
import { identityStore } from './tables/identity.js'
import { indexStore } from './tables/index.js'
import { momentStore } from './tables/moments.js'
import { nonceStore } from './tables/nonces.js'
import { proofStore } from './tables/proofs.js'
import { revocationStore } from './tables/revocations.js'
import { usageStore } from './tables/usage.js'

/** The state store on a database that has its tables. */
export function sqlStore(db: Driver): StateStore {
  return {
    nonces: nonceStore(db),
    revocations: revocationStore(db),
    index: indexStore(db),
    proofs: proofStore(db),
    usage: usageStore(db),
    moments: momentStore(db),
    identity: identityStore(db),
    trouble: (how) => db.trouble(how),
    close: () => db.close(),
  }
}
