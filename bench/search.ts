import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import type { IndexChange } from '../packages/catalog/src/index/index-store.js'
import { loadSettings } from '../packages/provider/src/config/load.js'
import { Connections } from '../packages/provider/src/http/lifetime.js'
import { AnonymousBudget } from '../packages/provider/src/http/limits/anonymous.js'
import { searchAssets } from '../packages/provider/src/http/routes/search.js'
import type { Services } from '../packages/provider/src/http/services.js'
import { openPostgresStore } from '../packages/provider/src/state/postgres.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import type { StateStore } from '../packages/provider/src/state/stores.js'
import { orderOf } from '../test/helpers/orders.js'
import type { Benchmark } from './lib/benchmark.js'
import { postgresFor } from './lib/database.js'
import { send } from './lib/processes.js'
import { quantile, type Row, report, rounded } from './lib/report.js'
import { addressesOf, CHAIN, fill, word } from './lib/search-documents.js'
import { raw } from './lib/stage.js'

const CONNECTIONS = 8
/** Searches for pairs of words, over each connection, before the time is taken: the code for searches is compiled then. */
const WARMING = 250
/** A route of the same service that does nothing, to compare with. */
const BARE = '/bare'

const FILTERS = [{ term: { chainId: CHAIN } }, { term: { 'metadata.type': 'dataset' } }]
const FIELDS = ['metadata.name^10', 'metadata.author', 'metadata.description', 'metadata.tags']
/** Texts that were searched for. */
const texts = new Set<string>()
/** A text that was not searched for yet: a word, with others after it where it was. */
function fresh(): string {
  let text = word()
  while (texts.has(text)) text += ` ${word()}`
  texts.add(text)
  return text
}
/** Two words, which `fresh` does not answer. */
function pair(): string {
  const text = `${word()} ${word()}`
  texts.add(text)
  return text
}
/** Searches for all words of a text. */
const allOf = (query: string) => ({ query_string: { query, fields: FIELDS, default_operator: 'AND' } })
const found = (query: object) => ({ query: { bool: { must: [query], filter: FILTERS } }, size: 21 })

/** The kinds of search; the rank of a word determines whether it is common or rare. */
const KINDS: Record<string, () => object> = {
  'text with two filters': () => found({ query_string: { query: word(), fields: FIELDS } }),
  'the same, no text twice': () => found(allOf(fresh())),
  'the same, not counted': () => ({
    ...found({ query_string: { query: word(), fields: FIELDS } }),
    track_total_hits: false,
  }),
  'the same, a word of every tenth': () => found({ query_string: { query: 'word8', fields: FIELDS } }),
  'two words, both': () =>
    found({ match: { 'metadata.description': { query: `${word()} ${word()}`, operator: 'and' } } }),
  'beginning of a word': () => found({ query_string: { query: `${word()}*`, fields: FIELDS } }),
  'newest, no text': () => ({ ...found({ match_all: {} }), sort: { 'nft.created': 'desc' } }),
  'by orders, of all': () => ({ ...found({ match_all: {} }), sort: { 'stats.orders': 'desc' } }),
  'counting tags of all': () => ({ size: 0, aggs: { tags: { terms: { field: 'metadata.tags.keyword', size: 100 } } } }),
}

/** Measures the latency of searches through the route, over 8 connections, with 100,000 documents. */
export const search: Benchmark = async (options) => {
  const { smoke, only } = options
  const count = smoke ? 60 : Number(process.env.SEARCH_DOCUMENTS ?? 100_000)
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
      const begun = performance.now()
      const isFilled = (name === 'PostgreSQL' ? filledUrl : filledFolder) !== undefined
      const stored = name === 'PostgreSQL' ? Math.min(count, 200) : count
      const longest = isFilled ? undefined : await fill(store, stored)
      const perDocument = rounded((performance.now() - begun) / stored)
      if (name === 'PostgreSQL' && !isFilled) void 0
      for (const [kind, make] of Object.entries(KINDS)) {
        if (only && !kind.includes(only)) continue
        rows.push({ database: name, documents: count, search: kind, ...(await measure(store, make, smoke)) })
      }
      if (longest !== undefined)
        process.stdout.write(
          `${name}: ${perDocument} ms to store a document, ${rounded(longest)} ms for the longest batch\n`,
        )
      await store.close()
    }
  } finally {
    await postgres?.close()
    rmSync(folder, { recursive: true })
  }
  report('search', `Searches over ${CONNECTIONS} connections, milliseconds`, rows, options)
}

/** Returns the rooms that the route of searches needs. */
export function servicesFor(store: StateStore, changed: Record<string, string> = {}): Services {
  const settings = loadSettings({
    NETWORK_URL: JSON.stringify({ [CHAIN]: 'http://127.0.0.1:1' }),
    PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
    ...changed,
  })
  const progress = { chainId: CHAIN, block: 1, head: 1, age: 0, lag: 0, astray: false, rereading: null, paused: false }
  const purgatory = { dids: () => [], reasonFor: () => undefined }
  return {
    settings,
    catalog: { search: store.search, onChain: { of: async () => ({}) }, progress: () => [progress] },
    access: { purgatory },
    anonymous: new AnonymousBudget(settings),
  } as unknown as Services
}

async function measure(store: StateStore, make: () => object, smoke: boolean): Promise<Row> {
  const app = fastify()
  new Connections(app)
  searchAssets.register(app, servicesFor(store))
  app.post(BARE, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const isAsked = new Set<string>()
  let repeated = 0
  const next = () => {
    const body = JSON.stringify(make())
    if (isAsked.has(body)) repeated += 1
    isAsked.add(body)
    return asked(searchAssets.path, body)
  }
  // a service that has run for a while
  const warming = () => asked(searchAssets.path, JSON.stringify(found(allOf(pair()))))
  await underLoad(
    port,
    several(CONNECTIONS, () => several(smoke ? 1 : WARMING, warming)),
  )
  await forget(store)
  const alone = await underLoad(port, [several(smoke ? 1 : 40, next)])
  repeated = 0
  const each = smoke ? 1 : 100
  const plain = asked(BARE, JSON.stringify(found({ match_all: {} })))
  const bare = await underLoad(
    port,
    several(CONNECTIONS, () => several(each, () => plain)),
  )
  const { latencies, seconds, cpu } = await underLoad(
    port,
    several(CONNECTIONS, () => several(each, next)),
  )
  await app.close()
  const [p99, bareP99] = [quantile(latencies, 0.99), quantile(bare.latencies, 0.99)]
  return {
    'alone p50': rounded(quantile(alone.latencies, 0.5), 1),
    p50: rounded(quantile(latencies, 0.5), 1),
    p99: rounded(p99, 1),
    'bare route p99': rounded(bareP99, 1),
    'p99 to bare': rounded(p99 / bareP99, 1),
    'repeated %': Math.round((100 * repeated) / latencies.length),
    'per second': Math.round(latencies.length / seconds),
    'CPU ms each': rounded(cpu / latencies.length, 1),
    load: rounded(loadavg()[0] as number, 1),
  }
}

/** Orders a datatoken, so that nothing that was found or read before is kept. */
async function forget({ index }: StateStore): Promise<void> {
  const from = await index.cursor(CHAIN)
  const to = { block: (from?.block ?? 0) + 1, hash: '0x1' } as const
  const order: IndexChange = orderOf(addressesOf(0).datatoken)
  const done = await index.commit({ chainId: CHAIN, from, to, changes: [order] })
  if (!done) throw new Error('The index was not where it was read to be.')
}

const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

const asked = (path: string, body: string) => raw('POST', path, { 'content-type': 'application/json' }, body)

/** Sends a list of requests over each connection. `cpu`: milliseconds of this process, that of PostgreSQL's left out. */
async function underLoad(port: number, requests: string[][]) {
  const used = process.cpuUsage()
  const result = await send({ host: '127.0.0.1', port, requests, amount: requests.flat().length })
  const { user, system } = process.cpuUsage(used)
  return { ...result, cpu: (user + system) / 1000 }
}
