import type { StorageTools } from '../../packages/storage/src/kinds/tools.js'
import type { Storage } from '../../packages/storage/src/storage.js'
import { type StorageUnderTest, storageSuite } from './storage-suite.js'
import { testEgress, testRegistry } from './storage-tools.js'

/** A kind of the registry on a real back end, and the tools it needs besides the egress. */
export type KindUnderTest = Omit<StorageUnderTest, 'storage'> & { tools?: Partial<StorageTools> }

/** Runs the suite of storages for a kind of the registry. `start` starts its back end; `way` names what is special. */
export function kindSuite(type: string, start: () => Promise<KindUnderTest>, way?: string): void {
  storageSuite(way ? `${type}, ${way}` : type, async () => {
    const { tools, close, ...under } = await start()
    const egress = testEgress()
    return {
      ...under,
      storage: testRegistry(egress, tools).kind(type) as Storage,
      async close() {
        await egress.close()
        await close()
      },
    }
  })
}
