import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import Database from 'libsql'
import secp256k1 from 'secp256k1'
import type { Address } from 'viem'
import type { Cursor } from '../packages/catalog/src/index/index-store.js'
import { KIB } from '../packages/protocol/src/constants.js'
import { providerKey } from '../packages/protocol/src/crypto/keys.js'
import { createApp } from '../packages/provider/src/app.js'
import { loadSettings } from '../packages/provider/src/config/load.js'
import { openSqliteStore } from '../packages/provider/src/state/sqlite.js'
import { acquire, order } from '../test/helpers/consume.js'
import { eventually } from '../test/helpers/eventually.js'
import { orderOf } from '../test/helpers/orders.js'
import { RpcProxy } from '../test/helpers/rpc-proxy.js'
import { World } from '../test/helpers/world.js'
import expected from './costs.json' with { type: 'json' }
import type { Benchmark } from './lib/benchmark.js'
import { median, report } from './lib/report.js'
import { changesOf } from './lib/search-documents.js'
import { type Consumer, downloadQuery, signedDownload, signedToken } from './lib/stage.js'

/** Machine-independent costs of a request. */
interface Cost {
  recoveries: number
  statements: number
  commits: number
  /** Written to tables, apart from those of the full-text index itself. */
  rows: number
  'rpc calls': number
  'rpc round trips': number
  upstream: number
  /** Memory that service, storage and client allocate for a request, in KiB. Counted for one request only. */
  'KiB allocated'?: number
}

type Counted = Record<string, Cost>

/**
 * Counts the costs of each request, cold and warm. Throws if one exceeds costs.json, twice: a cold request is counted once in each round,
 * and background work of a busy machine counts too.
 */
export const costs: Benchmark = async (options) => {
  let counted = await countedOnce()
  if (grownIn(counted).length > 0) {
    const again = await countedOnce()
    counted = Object.fromEntries(
      Object.entries(counted).map(([name, cost]) => [name, least([cost, again[name] as Cost])]),
    )
  }
  report(
    'costs',
    'What a request costs, counted',
    Object.entries(counted).map(([request, cost]) => ({ request, ...cost })),
    options,
  )
  const grown = grownIn(counted)
  if (grown.length > 0) throw new Error(`Costs have grown beyond costs.json: ${grown.join('; ')}.`)
}

/** Returns the costs beyond those of costs.json. */
function grownIn(counted: Counted): string[] {
  return Object.entries(counted).flatMap(([name, cost]) =>
    Object.entries(cost)
      .filter(([what, value]) => value > ((expected as Record<string, Record<string, number>>)[name]?.[what] ?? -1))
      .map(([what, value]) => `${name}: ${value} ${what}`),
  )
}

/** Returns the least of each cost. */
function least(costs: readonly Cost[]): Cost {
  const of = (what: keyof Cost) => Math.min(...costs.map((cost) => cost[what] ?? Number.POSITIVE_INFINITY))
  return Object.fromEntries((Object.keys(costs[0] as Cost) as (keyof Cost)[]).map((what) => [what, of(what)])) as never
}

/** Counts all requests on a new instance. */
async function countedOnce(): Promise<Counted> {
  const world = await World.start({ INDEX_POLL_INTERVAL: '50' })
  const proxy = await RpcProxy.before(world.network.rpcUrl)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const asset = await world.publishUrl(world.storage.file('/a.bin', Buffer.alloc(1024)))
  const key = providerKey('11'.repeat(32))
  const buyer = await world.somebody()
  const fee = await world.quote(asset, buyer.address)
  await acquire(world.network, asset, buyer)
  const txId = await order(world.network, asset, buyer, fee, { consumer: key.address })
  const consumer: Consumer = { key, txId }
  // an instance that polls the chain only once, so that only requests are counted
  await world.local.app.close()
  const settings = {
    STATE_DIR: folder,
    INDEX_POLL_INTERVAL: '3600000',
    NETWORK_URL: JSON.stringify({ 8996: proxy.url }),
  }
  const app = await createApp(loadSettings(world.beside(settings)))
  const base = await app.listen()
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${base}/api/services/${path}`, { headers })
  await eventually(() => app.context.services.catalog.progress().every(({ lag }) => lag === 0))
  // the count of unknown keys, which begins then, ends with this record
  await eventually(async () => (await app.context.store.milestones.recorded('provider endpoint ')).length > 0)
  const counter = new Counter()
  const counted: Counted = {}
  try {
    const counting = async (name: string, send: () => Promise<Response>) => {
      proxy.forget()
      const before = world.storage.requests.length
      counter.reset()
      const response = await send()
      if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
      const text = await response.text()
      const rpc = { 'rpc calls': proxy.calls.length, 'rpc round trips': proxy.posts }
      return { text, cost: { ...counter.counts, ...rpc, upstream: world.storage.requests.length - before } as Cost }
    }
    /** Counts a request that costs the same each time: the least of three, as background work of a busy machine counts too. */
    const countWarm = async (name: string, send: () => Promise<Response>) => {
      const costs = [await counting(name, send), await counting(name, send), await counting(name, send)]
      counted[name] = least(costs.map(({ cost }) => cost))
      return costs[0]?.text as string
    }
    const count = async (name: string, send: () => Promise<Response>) => {
      const { text, cost } = await counting(name, send)
      counted[name] = cost
      return text
    }
    const service = {
      documentId: asset.did,
      serviceId: asset.ddo.services[0]?.id as string,
      consumerAddress: key.address,
    }
    const initialize = () => get(`initialize?${new URLSearchParams(service)}`)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const fileinfo = () =>
      fetch(`${base}/api/services/fileinfo`, {
        ...json,
        body: JSON.stringify({ did: asset.did, serviceId: service.serviceId }),
      })
    const octets = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'tide' }
    const signed = () => get(`download?${signedDownload(asset, consumer)}`)
    await count('initialize, cold', initialize)
    await countWarm('initialize', initialize)
    await count('fileinfo', fileinfo)
    await countWarm('nonce', () => get(`nonce?userAddress=${key.address}`))
    await countWarm('encrypt', () => fetch(`${base}/api/services/encrypt?chainId=8996`, octets))
    // the cut-over time is cached, and not read for each request
    await get(`createAuthToken?${signedToken(consumer)}`).then((response) => response.text())
    const newcomer = { key: providerKey('12'.repeat(32)) }
    await count('createAuthToken, new address', () => get(`createAuthToken?${signedToken(newcomer)}`))
    const { token } = JSON.parse(await count('createAuthToken', () => get(`createAuthToken?${signedToken(consumer)}`)))
    await count('download signed, cold', signed)
    await countWarm('download signed', signed)
    const query = new URLSearchParams(downloadQuery(asset, consumer))
    await get(`download?${query}`, { authtoken: token }).then((response) => response.text())
    await countWarm('download with token', () => get(`download?${query}`, { authtoken: token }))
    const kilobytes = await allocatedBy(() => get(`download?${query}`, { authtoken: token }))
    Object.assign(counted['download with token'] as Cost, { 'KiB allocated': kilobytes })
    counted['an order in the index'] = await orderInIndex(join(folder, 'index'), counter)
  } finally {
    counter.stop()
    await app.close()
    proxy.close()
    await world.close()
    rmSync(folder, { recursive: true })
  }
  return counted
}

/** Counts what the order of an asset costs the index. */
async function orderInIndex(folder: string, counter: Counter): Promise<Cost> {
  const store = openSqliteStore(folder)
  try {
    const changes = changesOf(0)
    const [first, second] = [1, 2].map((block): Cursor => ({ block, hash: '0x1' }))
    const index = { chainId: 8996, provisional: true }
    await store.index.commit({ ...index, from: undefined, to: first as Cursor, changes })
    const datatoken = changes.flatMap((change) => (change.kind === 'datatoken' ? change.datatoken.address : []))[0]
    counter.reset()
    const order = orderOf(datatoken as Address)
    await store.index.commit({ ...index, from: first, to: second as Cursor, changes: [order] })
    return { ...counter.counts, 'rpc calls': 0, 'rpc round trips': 0, upstream: 0 }
  } finally {
    await store.close()
  }
}

/** Requests until their code is compiled, and those that are measured at once: few, so that they fit between two collections. */
const WARM_UP = 3000
const MEASURED = 20
const SAMPLES = 50

/** Returns the KiB of heap that a request allocates: the median of some samples without a garbage collection. */
async function allocatedBy(send: () => Promise<Response>): Promise<number> {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length
  })
  observer.observe({ entryTypes: ['gc'] })
  const sendAll = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await (await send()).arrayBuffer()
  }
  await sendAll(WARM_UP)
  const samples: number[] = []
  // most samples have no collection in them
  for (let tried = 0; samples.length < SAMPLES && tried < 10 * SAMPLES; tried++) {
    const [before, collected] = [getHeapStatistics().used_heap_size, collections]
    await sendAll(MEASURED)
    const allocated = getHeapStatistics().used_heap_size - before
    // the observer hears of collections in a later turn
    await setImmediate()
    if (collections === collected) samples.push(allocated / MEASURED / KIB)
  }
  observer.disconnect()
  return Math.round(median(samples))
}

const NOTHING = { recoveries: 0, statements: 0, commits: 0, rows: 0 }

/** Counts calls by patching the functions that do the work. */
class Counter {
  counts = { ...NOTHING }
  private readonly undo: (() => void)[] = []

  constructor() {
    const db = new Database(':memory:')
    const statement = Object.getPrototypeOf(db.prepare('SELECT 1'))
    db.close()
    const patch = (
      target: Record<string, unknown>,
      name: string,
      onCall: (firstArgument: unknown) => void,
      onResult?: (result: unknown) => void,
    ) => {
      const original = target[name] as (...args: unknown[]) => unknown
      target[name] = function counted(this: unknown, ...args: unknown[]) {
        onCall(args[0])
        const result = original.apply(this, args)
        onResult?.(result)
        return result
      }
      this.undo.push(() => {
        target[name] = original
      })
    }
    patch(secp256k1 as never, 'ecdsaRecover', () => this.counts.recoveries++)
    const onWritten = (result: unknown) => (this.counts.rows += (result as { changes: number }).changes)
    for (const name of ['get', 'all', 'run'])
      patch(statement, name, () => this.counts.statements++, name === 'run' ? onWritten : undefined)
    // read-only transactions have nothing to sync
    let writes = false
    patch(Database.prototype as never, 'exec', (text) => {
      if (text === 'COMMIT' && writes) this.counts.commits++
      if (/\bBEGIN\b/.test(String(text))) writes = String(text).includes('BEGIN IMMEDIATE')
    })
  }

  reset(): void {
    this.counts = { ...NOTHING }
  }

  stop(): void {
    for (const restore of this.undo) restore()
  }
}
