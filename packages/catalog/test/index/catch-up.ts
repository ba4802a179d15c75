import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from 'viem'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { SCRIPTED_CHAIN, SCRIPTED_FACTORY } from '../../../../test/helpers/scripted-node.js'
import type { Chain } from '../../../chain/src/chains.js'
import { connectChains } from '../../../provider/src/app/connect.js'
import { loadSettings } from '../../../provider/src/config/load.js'
import { openSqliteStore } from '../../../provider/src/state/sqlite.js'
import { TaskSandbox } from '../../../provider/src/tasks/task-sandbox.js'
import { DocumentReader } from '../../src/documents.js'
import { ChainFollower } from '../../src/index/follower.js'
import type { IndexBatch } from '../../src/index/index-store.js'

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export interface CatchUp {
  nfts: Address[]
  block: number | null
  /** Steps that failed, and were tried again. */
  failures: number
  /** Batches that were committed. */
  commits: number
}

/**
 * Follows the chain of a scripted node from its first block to its head, with a new index. `beforeCommit` holds up a batch; it is
 * told how often contracts were looked for in the index.
 */
export async function catchUp(
  nodeUrl: string,
  concurrency: number,
  timeout = 60_000,
  beforeCommit?: (batch: IndexBatch, lookUps: () => number) => Promise<unknown>,
): Promise<CatchUp> {
  const folder = newFolder()
  const addresses = { scripted: { chainId: SCRIPTED_CHAIN, startBlock: 1, ERC721Factory: SCRIPTED_FACTORY } }
  writeFileSync(join(folder, 'address.json'), JSON.stringify(addresses))
  const settings = loadSettings({
    NETWORK_URL: JSON.stringify({ [SCRIPTED_CHAIN]: nodeUrl }),
    PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    ADDRESS_FILE: join(folder, 'address.json'),
    RPC_TIMEOUT: String(timeout),
  })
  const chain = (await connectChains(settings)).get(SCRIPTED_CHAIN) as Chain
  const store = openSqliteStore(folder)
  const sandbox = new TaskSandbox()
  const documents = new DocumentReader(sandbox, 1e6)
  const options = { blockRange: 2000, concurrency, pollInterval: 1, documents, reorgDepth: 16 }
  const follower = new ChainFollower(chain, store.index, options, SILENT)
  let [failures, commits, lookUps] = [0, 0, 0]
  const known = store.index.known.bind(store.index)
  store.index.known = (...asked) => {
    lookUps += 1
    return known(...asked)
  }
  const commit = store.index.commit.bind(store.index)
  store.index.commit = async (batch) => {
    commits += 1
    await beforeCommit?.(batch, () => lookUps)
    return commit(batch)
  }
  try {
    for (let done = false; !done; ) {
      done = await follower.step().catch(() => {
        failures += 1
        return false
      })
    }
    const nfts = await store.index.emitters(SCRIPTED_CHAIN, 'nft', undefined, 100_000)
    return { nfts: nfts.sort(), block: follower.progress.block, failures, commits }
  } finally {
    await follower.stop()
    await sandbox.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
