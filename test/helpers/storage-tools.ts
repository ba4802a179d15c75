import { COMMON_LIMITS } from '../../packages/common/src/limits.js'
import { Egress, type EgressOptions } from '../../packages/storage/src/egress/egress.js'
import { StorageRegistry } from '../../packages/storage/src/kinds/registry.js'
import { decodeContractResult } from '../../packages/storage/src/kinds/smartcontract/decode-result.js'
import type { StorageTools } from '../../packages/storage/src/kinds/tools.js'
import type { RequestContext } from '../../packages/storage/src/storage.js'
import { UNLIMITED } from './policy.js'
import { StorageServer } from './storage-server.js'

/** A request context for tests that do not depend on it. */
export const ASKING: RequestContext = { signal: new AbortController().signal, budget: 'paid' }

/**
 * An egress that may also connect to this machine. Its time limits end only what hangs: tests of a limit set it, and
 * nothing else to be fetched under it.
 */
export function testEgress(changed: Partial<EgressOptions> = {}): Egress {
  const limits = { connectTimeout: 60_000, responseTimeout: 60_000, stallTimeout: 60_000 }
  return new Egress({ allowNonPublic: true, ...limits, ...UNLIMITED, ...changed })
}

/** All storages, without chain and gateways unless a test supplies them. */
export function testRegistry(egress: Egress, changed: Partial<StorageTools> = {}): StorageRegistry {
  return new StorageRegistry({
    egress,
    readContract: () => Promise.reject(new Error('no chain')),
    decodeResult: async (abi, data) => decodeContractResult(abi, data, COMMON_LIMITS.contract),
    sql: { timeout: 60_000, maxRows: 1000, maxBytes: 1_000_000 },
    gateways: { ipfs: [], filecoin: [], arweave: [] },
    ...changed,
  })
}

/** A storage server, and all storages behind an egress with the given limits. */
export async function serverAndRegistry(limits: Partial<EgressOptions> = {}) {
  const egress = testEgress(limits)
  const server = await StorageServer.start()
  const close = async () => {
    await egress.close()
    await server.close()
  }
  return { server, registry: testRegistry(egress), close }
}
