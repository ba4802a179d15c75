import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import fastify from 'fastify'
import type { IndexChange } from '../packages/catalog/src/index/index-store.js'
import type { Purgatory } from '../packages/provider/src/access/rules/purgatory.js'
import { Withheld } from '../packages/provider/src/access/rules/withheld.js'
import { loadSettings } from '../packages/provider/src/config/load.js'
import { Connections } from '../packages/provider/src/http/lifetime.js'
import { AnonymousBudget } from '../packages/provider/src/http/limits/anonymous.js'
import { PREFIX } from '../packages/provider/src/http/routes/assets.js'
import { searchAssets, searchMetadata } from '../packages/provider/src/http/routes/search.js'
import type { Services } from '../packages/provider/src/http/services.js'
import { openPostgresStore } from '../packages/provider/src/state/postgres.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import type { StateStore } from '../packages/provider/src/state/stores.js'
import { orderOf } from '../test/helpers/orders.js'
import type { Benchmark } from './lib/benchmark.js'
import { type Corpus, indexedCorpus, pouredCorpus } from './lib/corpus.js'
import { postgresFor } from './lib/database.js'
import { sendAny } from './lib/processes.js'
import { quantile, type Row, report, rounded } from './lib/report.js'
import { CHAIN, fill } from './lib/search-documents.js'
import { type Asked, connectionsOf, kindsOf, requestOf, wordsBoth } from './lib/search-kinds.js'
import { pouredPostgres, pouredSqlite } from './lib/search-pour.js'

/** Searches for pairs of words, over each connection, before the time is taken: the code for searches is compiled then. */
const WARMING = 250
/** A route of the same service that does nothing, to compare with. */
const BARE = '/bare'

/**
 * Measures the latency of searches through the route, over 8 connections, with SEARCH_DOCUMENTS documents: 100,000, of ten orders
 * each. SEARCH_FOLDER and SEARCH_POSTGRES name databases that are filled; SEARCH_INDEXED=1: by the benchmark of the index.
 */
export const search: Benchmark = async (options) => {
  const { smoke, only } = options
  const count = smoke ? 60 : Number(process.env.SEARCH_DOCUMENTS ?? 100_000)
  const corpus = process.env.SEARCH_INDEXED ? indexedCorpus(count) : pouredCorpus(count)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const rows: Row[] = []
  // databases that are already filled, and the only one to measure
  const { SEARCH_DATABASE: wanted, SEARCH_FOLDER: filledFolder, SEARCH_POSTGRES: filledUrl } = process.env
  const postgres = filledUrl || (wanted && wanted !== 'PostgreSQL') ? undefined : await postgresFor(options)
  const url = filledUrl ?? postgres?.url() ?? ''
  try {
    const stores: [string, () => Promise<StateStore>][] = [
      ['embedded', async () => openSqliteStore(filledFolder ?? folder)],
      ['PostgreSQL', () => openPostgresStore({ url, connections: 10, timeout: 30_000 })],
    ]
    for (const [name, open] of stores) {
      if (wanted !== undefined && wanted !== name) continue
      const store = await open()
      const isFilled = (name === 'PostgreSQL' ? filledUrl : filledFolder) !== undefined
      if (!isFilled) {
        // the generation of the index, and a few assets as the index writes them
        const few = Math.min(count, 20)
        await fill(store, few)
        if (name === 'PostgreSQL') await pouredPostgres(url, few, count)
        else await pouredSqlite(folder, few, count)
      }
      for (const [kind, make] of Object.entries(kindsOf(corpus))) {
        if (only && !kind.includes(only)) continue
        const measured = await measure(store, corpus, make, smoke)
        if (smoke && measured.refused !== 0) throw new Error(`A search was refused: ${kind}`)
        rows.push({ database: name, documents: count, search: kind, ...measured })
        if (!smoke) process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`)
      }
      await store.close()
    }
  } finally {
    await postgres?.close()
    rmSync(folder, { recursive: true })
  }
  report('search', `Searches over ${connectionsOf(smoke)} connections, milliseconds`, rows, options)
}

/** Returns the rooms that the route of searches needs. */
export function servicesFor(store: StateStore, changed: Record<string, string> = {}): Services {
  const settings = loadSettings({
    NETWORK_URL: JSON.stringify({ [CHAIN]: 'http://127.0.0.1:1' }),
    PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    ...changed,
  })
  const progress = { chainId: CHAIN, block: 1, head: 1, age: 0, lag: 0, astray: false, rereading: null, paused: false }
  const purgatory = { dids: () => [], reasonFor: () => undefined } as unknown as Purgatory
  return {
    settings,
    catalog: { search: store.search, onChain: { of: async () => ({}) }, progress: () => [progress] },
    access: {
      purgatory,
      withheld: new Withheld({ takedowns: store.takedowns, purgatory, contact: undefined, log: undefined as never }),
    },
    anonymous: new AnonymousBudget(settings),
  } as unknown as Services
}

async function measure(store: StateStore, corpus: Corpus, make: () => Asked, smoke: boolean): Promise<Row> {
  const app = fastify()
  new Connections(app)
  const services = servicesFor(store)
  searchAssets.register(app, services)
  searchMetadata.register(app, services)
  app.post(`${PREFIX}${BARE}`, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const isAsked = new Set<string>()
  let repeated = 0
  const connections = connectionsOf(smoke)
  const next = () => {
    const request = requestOf(make())
    if (isAsked.has(request)) repeated += 1
    isAsked.add(request)
    return request
  }
  // a service that has run for a while
  const warming = () => requestOf(wordsBoth(corpus))
  await underLoad(
    port,
    several(connections, () => several(smoke ? 1 : WARMING, warming)),
  )
  await forget(store, corpus)
  const alone = await underLoad(port, [several(smoke ? 1 : 40, next)])
  repeated = 0
  const each = smoke ? 1 : 100
  const plain = requestOf({ path: BARE, body: wordsBoth(corpus).body })
  const bare = await underLoad(
    port,
    several(connections, () => several(each, () => plain)),
  )
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const { latencies, seconds, cpu, failed } = await underLoad(
    port,
    several(connections, () => several(each, next)),
  )
  delay.disable()
  await app.close()
  const [p99, bareP99] = [quantile(latencies, 0.99), quantile(bare.latencies, 0.99)]
  return {
    'alone p50': rounded(quantile(alone.latencies, 0.5), 1),
    p50: rounded(quantile(latencies, 0.5), 1),
    p99: rounded(p99, 1),
    refused: alone.failed + failed,
    'bare route p99': rounded(bareP99, 1),
    'p99 to bare': rounded(p99 / bareP99, 1),
    'repeated %': Math.round((100 * repeated) / latencies.length),
    'per second': Math.round(latencies.length / seconds),
    'CPU ms each': rounded(cpu / latencies.length, 1),
    'longest turn': rounded(delay.max / 1e6, 1),
    MiB: Math.round(process.memoryUsage().rss / 2 ** 20),
    load: rounded(loadavg()[0] as number, 1),
  }
}

/** Orders a datatoken, so that nothing that was found or read before is kept. */
async function forget({ index }: StateStore, corpus: Corpus): Promise<void> {
  const from = await index.cursor(CHAIN)
  const to = { block: (from?.block ?? 0) + 1, hash: '0x1' } as const
  const order: IndexChange = orderOf(corpus.datatoken(0))
  const done = await index.commit({ chainId: CHAIN, from, to, changes: [order] })
  if (!done) throw new Error('The index was not where it was read to be.')
}

const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/**
 * Sends a list of requests over each connection. Searches may take too long, and are refused then. `cpu`: milliseconds of this process,
 * that of PostgreSQL's left out.
 */
async function underLoad(port: number, requests: string[][]) {
  const used = process.cpuUsage()
  const result = await sendAny({ host: '127.0.0.1', port, requests, amount: requests.flat().length })
  const { user, system } = process.cpuUsage(used)
  return { ...result, cpu: (user + system) / 1000 }
}
