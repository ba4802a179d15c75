import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DocumentReader } from '../../packages/catalog/src/documents.js'
import { ChainFollower } from '../../packages/catalog/src/index/follower.js'
import type { Chain } from '../../packages/chain/src/chains.js'
import { connectChains } from '../../packages/provider/src/app/connect.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import type { StateStore } from '../../packages/provider/src/state/stores.js'
import { TaskSandbox } from '../../packages/provider/src/tasks/task-sandbox.js'
import type { SyntheticOptions } from '../synthetic-node.js'
import { programOf } from './processes.js'
import { DIST } from './stage.js'

const NODE = new URL('../synthetic-node.ts', import.meta.url)
const CHAIN_ID = 8996

/** A synthetic chain whose node runs, and a folder for databases. */
export interface SyntheticChain {
  /** The settings of a service that follows it. */
  settings: Record<string, string>
  folder: string
  /** The process of the node. */
  node: number
  close(): Promise<void>
}

/** Starts the node of a synthetic chain. A folder that is given stays. */
export async function startSyntheticChain(options: SyntheticOptions, kept?: string): Promise<SyntheticChain> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const node = spawn(process.execPath, [...programOf(NODE), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(node.stdout, 'data')) as [Buffer]
  const { url, factory } = JSON.parse(line.toString()) as { url: string; factory: string }
  const file = join(folder, 'address.json')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify({ bench: { chainId: CHAIN_ID, startBlock: 1, ERC721Factory: factory } }))
  return {
    settings: {
      NETWORK_URL: JSON.stringify({ [CHAIN_ID]: url }),
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      ADDRESS_FILE: file,
    },
    folder,
    node: node.pid as number,
    async close() {
      node.kill()
      if (kept === undefined) rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Reads a synthetic chain from its first block to its head, as the service does. `onStep` is called after each step with
 * the block that was read last. Returns the seconds that it took.
 */
export async function readChain(
  { settings }: SyntheticChain,
  store: StateStore,
  { concurrency, onStep }: { concurrency: number; onStep?: ((block: number) => void) | undefined },
): Promise<number> {
  const chain = (await connectChains(loadSettings(settings))).get(CHAIN_ID) as Chain
  // as in production: from source, a thread takes longer to start than many documents to read
  const sandbox = new TaskSandbox({ entry: pathToFileURL(join(DIST, 'tasks', 'worker.js')) })
  const documents = new DocumentReader(sandbox, 1e6)
  const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
  const options = { blockRange: 2000, concurrency, pollInterval: 10, documents, reorgDepth: 256 }
  const follower = new ChainFollower(chain, store.index, options, silent)
  const begun = performance.now()
  // a range that times out is retried in halves, as in the service
  for (let done = false; !done; ) {
    done = await follower.step().catch(() => false)
    onStep?.(follower.progress.block ?? 0)
  }
  const seconds = (performance.now() - begun) / 1000
  await sandbox.close()
  return seconds
}
