import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import pg from 'pg'
import type { Address } from 'viem'
import { didOf } from '../src/assets/ddo.js'
import { loadSettings } from '../src/config/load.js'
import type { Context } from '../src/context.js'
import { searchAssets } from '../src/http/routes/search.js'
import { type Searchable, searchable } from '../src/search/document.js'
import { firstId, sliceOf, textRow, valueRows } from '../src/search/rows.js'
import { openPostgresStore } from '../src/state/postgres.js'
import { openSqliteStore } from '../src/state/sqlite.js'
import type {
  Cursor,
  IndexChange,
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
  StateStore,
} from '../src/state/store.js'
import { startPostgres } from '../test/helpers/backends.js'
import type { Benchmark } from './lib/benchmark.js'
import { send } from './lib/processes.js'
import { quantile, type Row, report, rounded } from './lib/report.js'
import { raw } from './lib/stage.js'

const CHAIN = 8996
const CONNECTIONS = 8
const BATCH = 100
/** Searches for words that no document has, before the time is taken. */
const WARMING = 160
/** A route of the same service that does nothing, to compare with. */
const BARE = '/bare'

/** A seeded random generator of numbers from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const next = random(1)
/** Words distributed as in natural text: the first ones in every other document, the last ones in a handful. */
const word = () => `word${Math.floor(20_000 ** next())}`
const text = (count: number) => Array.from({ length: count }, word).join(' ')
const address = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as Address

/** The index changes of one asset with the size and shape of those on a marketplace. */
export function changesOf(at: number): IndexChange[] {
  const [nft, datatoken] = [address(2 * at + 1), address(2 * at + 2)]
  const did = didOf(nft, CHAIN)
  const created = new Date(1_700_000_000_000 + at * 60_000).toISOString().replace('.000Z', 'Z')
  const metadata = {
    created,
    updated: created,
    type: next() < 0.8 ? 'dataset' : 'algorithm',
    name: text(5),
    description: text(100),
    author: text(2),
    license: 'https://market.oceanprotocol.com/terms',
    tags: [word(), word(), word()],
    additionalInformation: { termsAndConditions: true },
  }
  const service = {
    id: 'a'.repeat(64),
    type: next() < 0.7 ? 'access' : 'compute',
    files: `0x${'ab'.repeat(400)}`,
    datatokenAddress: datatoken,
    serviceEndpoint: 'https://provider.example.com',
    timeout: 86_400,
  }
  const ddo = {
    '@context': ['https://w3id.org/did/v1'],
    id: did,
    version: '4.1.0',
    chainId: CHAIN,
    nftAddress: nft,
    metadata,
    services: [service],
  }
  const told = {
    state: 0,
    reason: null,
    encrypted: true,
    txId: `0x${'1'.repeat(64)}`,
    block: at,
    from: nft,
    timestamp: 1,
  }
  return [
    { kind: 'nft', nft: { address: nft, name: text(1), symbol: 'N', tokenUri: '', owner: address(at % 500), created } },
    { kind: 'datatoken', datatoken: { address: datatoken, nft, name: text(2), symbol: 'D' } },
    { kind: 'metadata', metadata: { ...told, nft, did, ddo: JSON.stringify(ddo) } as never },
  ]
}

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
const found = (query: object) => ({ query: { bool: { must: [query], filter: FILTERS } }, size: 21 })

/** The kinds of search; the rank of a word determines whether it is common or rare. */
const KINDS: Record<string, () => object> = {
  'text with two filters': () => found({ query_string: { query: word(), fields: FIELDS } }),
  'the same, no text twice': () => found({ query_string: { query: fresh(), fields: FIELDS, default_operator: 'AND' } }),
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
  const count = smoke ? 200 : Number(process.env.SEARCH_DOCUMENTS ?? 100_000)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const rows: Row[] = []
  // databases that are already filled, and the only one to measure
  const { SEARCH_DATABASE: wanted, SEARCH_FOLDER: filledFolder, SEARCH_POSTGRES: filledUrl } = process.env
  const postgres = filledUrl || (wanted && wanted !== 'PostgreSQL') ? undefined : await startPostgres()
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
      if (name === 'PostgreSQL' && !isFilled) await poured(url, stored, count)
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

/** Bulk-loads documents into PostgreSQL, since committing each takes a dozen round trips. The rows are the same. */
async function poured(url: string, from: number, to: number): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const pour = (table: string, columns: string, rows: object[]) => {
    const names = columns.replace(/ \w+/g, '').replace(/,/g, ', ')
    const values = names.replace('tsv', 'CAST(tsv AS tsvector)')
    const text = `INSERT INTO ${table} (${names}) SELECT ${values} FROM json_to_recordset($1) AS row(${columns})`
    return client.query(text, [JSON.stringify(rows)])
  }
  await client.query('DROP INDEX search_text_by_token')
  for (let at = from; at < to; at += BATCH) {
    const assets = Array.from({ length: Math.min(BATCH, to - at) }, (_, i) => assetOf(changesOf(at + i)))
    const documents = assets.map((asset) => ({ asset, document: searchable(asset) as Searchable }))
    const rows = documents.map(({ asset, document }) => {
      const id = firstId(document)
      const { nft, metadata, datatokens } = asset
      return {
        nft: { chain_id: CHAIN, ...nft, token_uri: '' },
        asset: { ...metadata, chain_id: CHAIN, encrypted: 1, tx_id: metadata.txId, sender: metadata.from },
        datatoken: { chain_id: CHAIN, ...datatokens[0], position: 0 },
        document: { id, chain_id: CHAIN, nft: nft.address, did: metadata.did },
        text: { id, slice: sliceOf(id), ...textRow(document, CHAIN, 'postgres') },
        values: valueRows(document).map((row) => ({ doc: id, ...row })),
      }
    })
    await pour(
      'index_nft',
      'chain_id bigint,address text,name text,symbol text,token_uri text,owner text,created text',
      rows.map((row) => row.nft),
    )
    await pour(
      'index_datatoken',
      'chain_id bigint,address text,nft text,name text,symbol text,orders bigint,position bigint',
      rows.map((row) => row.datatoken),
    )
    await pour(
      'index_asset',
      'did text,chain_id bigint,nft text,state bigint,ddo text,reason text,encrypted bigint,tx_id text,block bigint,sender text,timestamp bigint',
      rows.map((row) => row.asset),
    )
    await pour(
      'search_document',
      'id bigint,chain_id bigint,nft text,did text',
      rows.map((row) => row.document),
    )
    await pour(
      'search_text',
      'id bigint,slice bigint,tsv text',
      rows.map((row) => row.text),
    )
    await pour(
      'search_value',
      'doc bigint,path bigint,n bigint,num float8,txt text',
      rows.flatMap((row) => row.values),
    )
  }
  await client.query('CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off)')
  // the server's autovacuum would do this later
  await client.query('VACUUM ANALYZE')
  await client.end()
}

/** The indexed asset that results from the changes of one asset. */
function assetOf(changes: IndexChange[]): IndexedAsset {
  const [nft, datatoken, metadata] = changes as unknown as [
    { nft: IndexedNft },
    { datatoken: IndexedDatatoken },
    { metadata: IndexedMetadata },
  ]
  return {
    chainId: CHAIN,
    nft: nft.nft,
    datatokens: [{ ...datatoken.datatoken, orders: 0 }],
    metadata: metadata.metadata,
  }
}

/** Stores assets, by default those of this benchmark. Answers the milliseconds of the longest batch. */
export async function fill(store: StateStore, count: number, make = changesOf): Promise<number> {
  let from: Cursor | undefined
  let longest = 0
  for (let at = 0; at < count; at += BATCH) {
    const changes = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => make(at + i)).flat()
    const to: Cursor = { block: at + 1, hash: '0x1' }
    const begun = performance.now()
    await store.index.commit({ chainId: CHAIN, from, to, changes })
    longest = Math.max(longest, performance.now() - begun)
    from = to
  }
  return longest
}

/** What the route of searches needs of a service. */
export function contextOf(store: StateStore): Context {
  const settings = loadSettings({
    NETWORK_URL: JSON.stringify({ [CHAIN]: 'http://127.0.0.1:1' }),
    PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
  })
  const progress = { chainId: CHAIN, block: 1, head: 1, age: 0, lag: 0, astray: false, rereading: null }
  const purgatory = { dids: () => [], reasonFor: () => undefined }
  return {
    settings,
    store,
    indexed: store.index,
    onChain: { of: async () => ({}) },
    purgatory,
    progress: () => [progress],
  } as unknown as Context
}

async function measure(store: StateStore, make: () => object, smoke: boolean): Promise<Row> {
  const context = contextOf(store)
  const app = fastify()
  searchAssets.register(app, context)
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
  // a service that has run for a while has its connections, and has prepared its statements
  const warming = Array.from({ length: smoke ? 1 : WARMING }, (_, at) =>
    asked(searchAssets.path, JSON.stringify(found({ query_string: { query: `none${at}`, fields: FIELDS } }))),
  )
  await underLoad(port, [warming])
  const alone = await underLoad(port, [several(smoke ? 3 : 40, next)])
  repeated = 0
  const each = smoke ? 3 : 100
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

const several = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

const asked = (path: string, body: string) => raw('POST', path, { 'content-type': 'application/json' }, body)

/** Sends a list of requests over each connection. `cpu`: milliseconds of this process, that of PostgreSQL's left out. */
async function underLoad(port: number, requests: string[][]) {
  const used = process.cpuUsage()
  const result = await send({ host: '127.0.0.1', port, requests, amount: requests.flat().length })
  const { user, system } = process.cpuUsage(used)
  return { ...result, cpu: (user + system) / 1000 }
}
