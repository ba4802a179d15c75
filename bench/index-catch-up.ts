import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import type { Benchmark, Options } from './lib/benchmark.js'
import { cpuSeconds, resident } from './lib/processes.js'
import { report, rounded } from './lib/report.js'
import { readChain, startSyntheticChain } from './lib/synthetic-chain.js'
import type { SyntheticOptions } from './synthetic-node.js'

const PER_BLOCK = 10

/** The distance of the node in the measure of empty stretches, in milliseconds, and the blocks that it gives at once. */
const AWAY = { delay: 100, range: 2000 }

interface Following extends SyntheticOptions {
  concurrency: number
}

/** Follows a synthetic chain from its first block to its head. Returns the seconds that it took. */
async function follow({ concurrency, ...options }: Following): Promise<number> {
  const synthetic = await startSyntheticChain(options)
  const store = openSqliteStore(synthetic.folder)
  const seconds = await readChain(synthetic, store, { concurrency })
  await store.close()
  await synthetic.close()
  return seconds
}

/**
 * Measures how the index catches up: seconds, processor time and peak memory for each tenth of the assets, to show whether
 * any of them grows with the size of the index; and blocks per second of a chain without assets, from a node far away, one range at a time
 * and several.
 */
export const index: Benchmark = async (options) => {
  const wanted = (part: string) => !options.only || part.includes(options.only)
  if (wanted('assets')) await assetsOf(options)
  if (wanted('empty')) await emptyStretches(options)
}

interface AssetsRow {
  [column: string]: number
  assets: number
  seconds: number
  /** Of each asset: of this process, of its event loop alone, and of the node. */
  'CPU ms': number
  'event loop ms': number
  'node ms': number
  'peak MiB': number
}

async function assetsOf(options: Options): Promise<void> {
  const assets = Number(process.env.INDEX_BENCH_ASSETS ?? (options.smoke ? 100 : 20_000))
  const synthetic = await startSyntheticChain({ blocks: assets / PER_BLOCK, perBlock: PER_BLOCK })
  const store = openSqliteStore(synthetic.folder)
  const used = () => ({
    at: performance.now(),
    process: cpuSeconds(process.pid),
    eventLoop: cpuSeconds(process.pid, { mainThread: true }),
    node: cpuSeconds(synthetic.node),
  })
  const row = (read: number, from: ReturnType<typeof used>, to: ReturnType<typeof used>, peak: number): AssetsRow => {
    const perAsset = (part: 'process' | 'eventLoop' | 'node') => rounded((1000 * (to[part] - from[part])) / read)
    return {
      ...{ assets: read, seconds: rounded((to.at - from.at) / 1000, 1), 'CPU ms': perAsset('process') },
      ...{ 'event loop ms': perAsset('eventLoop'), 'node ms': perAsset('node'), 'peak MiB': peak },
    }
  }
  const rows: AssetsRow[] = []
  const begun = used()
  let [last, before, peak, highest] = [begun, 0, 0, 0]
  const onStep = (block: number) => {
    peak = Math.max(peak, Math.round(resident(process.pid)))
    const read = block * PER_BLOCK
    if (read < (assets / 10) * (rows.length + 1)) return
    const now = used()
    rows.push({ ...row(read - before, last, now, peak), assets: read })
    highest = Math.max(highest, peak)
    ;[last, before, peak] = [now, read, 0]
  }
  await readChain(synthetic, store, { concurrency: 8, onStep })
  rows.push(row(assets, begun, used(), highest))
  await store.close()
  await synthetic.close()
  const title = 'The index catches up: each tenth of the assets and all of them, from a synthetic node'
  report('index', title, rows, options)
}

async function emptyStretches(options: Options): Promise<void> {
  const stretches: { 'ranges at once': number; 'blocks per second': number; ratio: number; 'of possible': number }[] =
    []
  for (const concurrency of options.smoke ? [4] : [1, 2, 4, 8, 12, 16]) {
    // long enough that start and end, when fewer are in flight, do not count
    const blocks = AWAY.range * (options.smoke ? 8 : 125 * concurrency)
    const rate = blocks / (await follow({ blocks, perBlock: 0, ...AWAY, concurrency }))
    const ratio = rounded(rate / (stretches[0]?.['blocks per second'] ?? rate), 1)
    const possible = (concurrency * AWAY.range) / (AWAY.delay / 1000)
    const row = { 'blocks per second': Math.round(rate), ratio, 'of possible': rounded(rate / possible) }
    stretches.push({ 'ranges at once': concurrency, ...row })
  }
  const away = `${AWAY.range} blocks a range, ${AWAY.delay} ms away`
  report('index-empty', `The index reads blocks without assets: ${away}`, stretches, options)
}
