import { rmSync } from 'node:fs'
import type { Address } from 'viem'
import { chainAt } from '../../../../test/helpers/chain-at.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { SCRIPTED_CHAIN, SCRIPTED_FACTORY } from '../../../../test/helpers/scripted-node.js'
import { DocumentReader } from '../../src/documents.js'
import { ChainFollower } from '../../src/index/follower.js'
import type { IndexBatch } from '../../src/index/index-store.js'
import { sqliteCatalog } from '../catalog.js'
import { DocumentSandbox } from '../sandbox.js'

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
  const deployment = { network: 'scripted', chainId: SCRIPTED_CHAIN, startBlock: 1, factory: SCRIPTED_FACTORY }
  const chain = chainAt(deployment, [nodeUrl], { timeout })
  const store = sqliteCatalog(folder)
  const sandbox = new DocumentSandbox()
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
