import { BOUNDS } from '../../src/bounds.js'
import { contractAnswer } from '../../src/storage/contract-answer.js'
import { Egress, type EgressOptions } from '../../src/storage/egress.js'
import { StorageRegistry } from '../../src/storage/registry.js'
import type { Asking, StorageTools } from '../../src/storage/storage.js'
import { UNLIMITED } from './policy.js'

/** What a request to a storage depends on, where a test does not care. */
export const ASKING: Asking = { signal: new AbortController().signal, budget: 'paid' }

/** A way out with short time limits, to this machine as well. */
export function testEgress(changed: Partial<EgressOptions> = {}): Egress {
  const limits = { connectTimeout: 2000, responseTimeout: 5000, stallTimeout: 5000 }
  return new Egress({ allowNonPublic: true, ...limits, ...UNLIMITED, ...changed })
}

/** All storages, without chain and gateways unless a test brings them. */
export function testRegistry(egress: Egress, changed: Partial<StorageTools> = {}): StorageRegistry {
  return new StorageRegistry({
    egress,
    readContract: () => Promise.reject(new Error('no chain')),
    readAnswer: async (abi, data) => contractAnswer(abi, data, BOUNDS.contract),
    sql: { timeout: 5000, maxRows: 1000, maxBytes: 1_000_000 },
    gateways: { ipfs: [], filecoin: [], arweave: [] },
    ...changed,
  })
}
