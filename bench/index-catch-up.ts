import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import { cpuSeconds } from '../test/helpers/measures.js'
import type { Benchmark, Options } from './lib/benchmark.js'
import { postgresFor } from './lib/database.js'
import { resident } from './lib/processes.js'
import { type Row, report, rounded } from './lib/report.js'
import { readChain, startSyntheticChain } from './lib/synthetic-chain.js'
import {
  fillMarket,
  idleMemory,
  type Market,
  memoryOfSearches,
  startMarket,
  tableSizes,
  type Used,
} from './lib/synthetic-market.js'
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
 * any of them grows with the size of the index; blocks per second of a chain without assets, from a node far away, one range at a time
 * and several; and the service that follows a market of INDEX_BENCH_ASSETS assets with five orders each, on both databases:
 * time, disk, memory, and the time from start to ready. INDEX_BENCH_DATABASE: `sqlite` or `postgres` alone. INDEX_BENCH_FOLDER:
 * a folder that keeps the embedded database.
 */
export const index: Benchmark = async (options) => {
  const wanted = (part: string) => !options.only || part.includes(options.only)
  if (wanted('assets')) await assetsOf(options)
  if (wanted('empty')) await emptyStretches(options)
  if (wanted('market')) await markets(options)
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
  const assets = Number(process.env.INDEX_BENCH_ASSETS ?? (options.smoke ? 30 : 20_000))
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

/** Orders of each asset of the market. */
const ORDERS = 5

/** Tables and indexes in the report. */
const LARGEST = 20

async function markets(options: Options): Promise<void> {
  const { INDEX_BENCH_ASSETS: assets = options.smoke ? 30 : 1_000_000, INDEX_BENCH_DATABASE: only } = process.env
  const rows: Row[] = []
  const tables: Row[] = []
  for (const database of ['sqlite', 'postgres'] as const) {
    if (only && only !== database) continue
    const blocks = Number(assets) / PER_BLOCK
    const chain = await startSyntheticChain(
      { blocks, perBlock: PER_BLOCK, orders: ORDERS },
      process.env.INDEX_BENCH_FOLDER || undefined,
    )
    const postgres = database === 'postgres' ? await postgresFor(options) : undefined
    const market = { chain, ...(postgres ? { postgres } : {}) }
    const measured = await marketOf(market, blocks, options)
    rows.push({ database, ...measured.row })
    for (const [table, bytes] of measured.sizes.slice(0, LARGEST))
      tables.push({
        database,
        table,
        MiB: rounded(bytes / 2 ** 20, 1),
        'bytes an asset': Math.round(bytes / Number(assets)),
      })
    await postgres?.close()
    await chain.close()
  }
  report('index-market', `The service follows a market: ${assets} assets, ${ORDERS} orders each`, rows, options)
  report('index-market-tables', 'What the market takes on disk', tables, options)
}

async function marketOf(market: Market, blocks: number, { smoke }: Options) {
  const assets = blocks * PER_BLOCK
  const { service } = await startMarket(market)
  const tenths: Used[] = []
  await fillMarket(market, service, blocks, (used) => {
    tenths.push(used)
    process.stdout.write(`${JSON.stringify(used)}\n`)
  })
  const memory = await idleMemory(service, smoke ? 200 : undefined)
  await service.stop()
  const again = await startMarket(market)
  const ready = await again.ready()
  const { now } = await idleMemory(again.service, smoke ? 200 : undefined)
  const searching = await memoryOfSearches(again.service, assets, smoke)
  if (smoke && searching['refused %'] > 0) throw new Error('A search was refused.')
  await again.service.stop()
  const sizes = await tableSizes(market)
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  const last = tenths.at(-1) as Used
  const perAsset = (part: keyof Used) => rounded((1000 * last[part]) / assets)
  const cpu = last.process + last.database
  const tenth = (at: number) => {
    const [from, to] = [tenths[at - 1], tenths[at] as Used]
    return to.process + to.database - (from ? from.process + from.database : 0)
  }
  const row = {
    ...{ minutes: rounded(last.seconds / 60, 1), 'assets/s': Math.round(assets / last.seconds) },
    ...{ 'CPU s / 2 cores, min': rounded(cpu / 120, 1), 'process ms': perAsset('process') },
    ...{ 'event loop ms': perAsset('eventLoop'), 'database ms': perAsset('database'), 'node ms': perAsset('node') },
    'last tenth to second': rounded(tenth(tenths.length - 1) / tenth(Math.min(1, tenths.length - 1))),
    ...{ GiB: rounded(bytes / 2 ** 30), 'bytes an asset': Math.round(bytes / assets) },
    ...{ 'peak MiB': Math.round(memory.peak), 'idle MiB': Math.round(memory.now) },
    ...{ 'ready ms': Math.round(ready), 'MiB after restart': Math.round(now) },
    ...{ 'peak MiB of searches': Math.round(searching.peak), 'refused %': searching['refused %'] },
  }
  return { row, sizes }
}
