import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DocumentReader } from '../src/assets/documents.js'
import { ChainFollower } from '../src/assets/index/follower.js'
import type { Chain } from '../src/chain/chains.js'
import { connectChains } from '../src/chain/connect.js'
import { loadSettings } from '../src/config/load.js'
import { Sandbox } from '../src/sandbox/sandbox.js'
import { openSqliteStore } from '../src/state/sqlite.js'

import type { Benchmark } from './lib/benchmark.js'
import { resident } from './lib/processes.js'
import { report, rounded } from './lib/report.js'

const PER_BLOCK = 10
const NODE = fileURLToPath(new URL('./synthetic-node.ts', import.meta.url))

/**
 * How the index catches up: seconds and resident memory for each tenth of the assets, so that growth with what is
 * there already would show.
 */
export const index: Benchmark = async (options) => {
  const { smoke } = options
  const assets = smoke ? 200 : 20_000
  const blocks = assets / PER_BLOCK
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const node = spawn(process.execPath, ['--import', 'tsx', NODE, String(blocks), String(PER_BLOCK)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(node.stdout, 'data')) as [Buffer]
  const { url, factory } = JSON.parse(line.toString()) as { url: string; factory: string }
  const file = join(folder, 'address.json')
  writeFileSync(file, JSON.stringify({ bench: { chainId: 8996, startBlock: 1, ERC721Factory: factory } }))
  const settings = loadSettings({
    NETWORK_URL: JSON.stringify({ 8996: url }),
    PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    ADDRESS_FILE: file,
  })
  const chain = (await connectChains(settings)).get(8996) as Chain
  const store = openSqliteStore(folder)
  const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
  const sandbox = new Sandbox()
  const reading = { blockRange: 2000, pollInterval: 10, documents: new DocumentReader(sandbox, 1e6), reorgDepth: 256 }
  const follower = new ChainFollower(chain, store.index, reading, silent)

  const rows: { assets: number; seconds: number; 'peak MiB': number }[] = []
  let [begun, peak] = [Date.now(), 0]
  for (let done = false; !done; ) {
    // a range that takes the node too long is asked for again in halves, as the service does
    done = await follower.step().catch(() => false)
    peak = Math.max(peak, Math.round(resident(process.pid)))
    const read = (follower.progress.block ?? 0) * PER_BLOCK
    if (read < (assets / 10) * (rows.length + 1)) continue
    rows.push({ assets: read, seconds: rounded((Date.now() - begun) / 1000, 1), 'peak MiB': peak })
    ;[begun, peak] = [Date.now(), 0]
  }
  await sandbox.close()
  await store.close()
  node.kill()
  rmSync(folder, { recursive: true })
  report(
    'index',
    'The index catches up: seconds for each tenth of the assets, from a node that costs nothing',
    rows,
    options,
  )
}
