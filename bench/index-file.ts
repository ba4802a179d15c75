import { join } from 'node:path'
import { checkFile } from '../src/assets/index/file/check.js'
import { exportIndex } from '../src/assets/index/file/export.js'
import { importIndex } from '../src/assets/index/file/import.js'
import { openSqliteStore } from '../src/state/sqlite.js'
import type { Benchmark } from './lib/benchmark.js'
import { resident } from './lib/processes.js'
import { report, rounded } from './lib/report.js'
import { readChain, type SyntheticChain, startSyntheticChain } from './lib/synthetic-chain.js'

/** Assets in a block, blocks from one such block to the next, and the node: its distance in milliseconds, and the blocks that it gives at once. */
const CHAIN = { perBlock: 10, every: 4000, delay: 100, range: 2000 }
const CONCURRENCY = 8

interface Measured {
  [column: string]: string | number
  documents: string
  step: string
  seconds: number
  'assets per second': number
  'peak MiB': number
}

/** Runs a step, and measures its seconds and the peak memory of this process. */
async function measured(
  step: string,
  work: () => Promise<unknown>,
): Promise<Pick<Measured, 'step' | 'seconds' | 'peak MiB'>> {
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, Math.round(resident(process.pid)))
  }, 100)
  const begun = performance.now()
  await work()
  clearInterval(watch)
  return { step, seconds: rounded((performance.now() - begun) / 1000, 1), 'peak MiB': peak }
}

async function steps(synthetic: SyntheticChain): Promise<Pick<Measured, 'step' | 'seconds' | 'peak MiB'>[]> {
  const { chain, documents, folder } = synthetic
  const [file, read, target] = [join(folder, 'index.gz'), join(folder, 'read'), join(folder, 'target')]
  const source = openSqliteStore(read)
  const store = openSqliteStore(target)
  const chains = new Map([[chain.chainId, chain]])
  const common = { chain, documents, maxDocument: 1e6 }
  let sha256 = ''
  const rows = [
    await measured('read the chain', () => readChain(synthetic, source, { concurrency: CONCURRENCY })),
    await measured('export', () =>
      exportIndex(file, { from: { kind: 'embedded', folder: read }, chains, chainId: undefined, force: false }),
    ),
    await measured('check, with a sample of 48', async () => {
      ;({ sha256 } = await checkFile(file, { ...common, sample: 48, seed: 1 }))
    }),
    await measured('import', () => importIndex(file, { ...common, store, sha256, concurrency: CONCURRENCY })),
  ]
  await source.close()
  await store.close()
  return rows
}

/**
 * Measures what a new instance saves by a file of the index: reading a chain whose assets are far apart from a node that is
 * far away, against exporting, checking and importing the same index; with encrypted documents, which an import reads
 * from the chain, and with plain ones.
 */
export const indexFile: Benchmark = async (options) => {
  const assets = Number(process.env.INDEX_BENCH_ASSETS ?? (options.smoke ? 30 : 20_000))
  const rows: Measured[] = []
  for (const plain of [false, true]) {
    // the last blocks are not final
    const blocks = (assets / CHAIN.perBlock) * CHAIN.every + 300
    const synthetic = await startSyntheticChain({ ...CHAIN, blocks, plain })
    const found = await steps(synthetic)
    await synthetic.close()
    const whole = found[0]?.seconds ?? 0
    for (const { step, seconds, 'peak MiB': peak } of found)
      rows.push({
        documents: plain ? 'plain' : 'encrypted',
        ...{ step, seconds, 'assets per second': Math.round(assets / seconds) },
        ...{ 'of reading': rounded(seconds / whole), 'peak MiB': peak },
      })
  }
  const { every, delay, perBlock } = CHAIN
  const title = `A file of the index: ${assets} assets, ${perBlock} in every ${every}th block, a node ${delay} ms away`
  report('index-file', title, rows, options)
}
