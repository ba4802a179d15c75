import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import secp256k1 from 'secp256k1'
import { acquire, order } from '../demo/consume.js'
import { createApp } from '../src/app.js'
import { loadSettings } from '../src/config/load.js'
import { providerKey } from '../src/crypto/keys.js'
import { eventually } from '../test/helpers/eventually.js'
import { RpcProxy } from '../test/helpers/rpc-proxy.js'
import { World } from '../test/helpers/world.js'
import expected from './costs.json' with { type: 'json' }
import type { Benchmark } from './lib/benchmark.js'
import { report } from './lib/report.js'
import { type Consumer, downloadQuery, signedDownload, signedToken } from './lib/stage.js'

/** What a request costs, whatever the machine. */
interface Cost {
  recoveries: number
  statements: number
  commits: number
  'rpc calls': number
  'rpc round trips': number
  upstream: number
}

/** Counts what each request costs, cold and warm. Throws where one costs more than costs.json says it does. */
export const costs: Benchmark = async (options) => {
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
  // an instance that looks at the chain once, so that nothing but requests is counted
  await world.local.app.close()
  const settings = {
    STATE_DIR: folder,
    INDEX_POLL_INTERVAL: '3600000',
    NETWORK_URL: JSON.stringify({ 8996: proxy.url }),
  }
  const app = await createApp(loadSettings(world.beside(settings)))
  const base = await app.listen()
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${base}/api/services/${path}`, { headers })
  await eventually(() => app.context.progress().every(({ lag }) => lag === 0))
  const counter = new Counter()
  const counted: Record<string, Cost> = {}
  try {
    const count = async (name: string, send: () => Promise<Response>) => {
      proxy.forget()
      const before = world.storage.requests.length
      counter.reset()
      const response = await send()
      if (!response.ok) throw new Error(`${name}: ${await response.text()}`)
      const text = await response.text()
      counted[name] = {
        ...counter.counts,
        'rpc calls': proxy.calls.length,
        'rpc round trips': proxy.posts,
        upstream: world.storage.requests.length - before,
      }
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
    await count('initialize', initialize)
    await count('fileinfo', fileinfo)
    await count('nonce', () => get(`nonce?userAddress=${key.address}`))
    await count('encrypt', () => fetch(`${base}/api/services/encrypt?chainId=8996`, octets))
    const { token } = JSON.parse(await count('createAuthToken', () => get(`createAuthToken?${signedToken(consumer)}`)))
    await count('download signed, cold', signed)
    await count('download signed', signed)
    const query = new URLSearchParams(downloadQuery(asset, consumer))
    await get(`download?${query}`, { authtoken: token }).then((response) => response.text())
    await count('download with token', () => get(`download?${query}`, { authtoken: token }))
  } finally {
    counter.stop()
    await app.close()
    proxy.close()
    await world.close()
    rmSync(folder, { recursive: true })
  }
  report(
    'costs',
    'What a request costs, counted',
    Object.entries(counted).map(([request, cost]) => ({ request, ...cost })),
    options,
  )
  const grown = Object.entries(counted).flatMap(([name, cost]) =>
    Object.entries(cost)
      .filter(([what, value]) => value > ((expected as Record<string, Record<string, number>>)[name]?.[what] ?? -1))
      .map(([what, value]) => `${name}: ${value} ${what}`),
  )
  if (grown.length > 0) throw new Error(`Costs have grown beyond costs.json: ${grown.join('; ')}.`)
}

/** Counts by standing in for the functions that do the work. */
class Counter {
  counts = { recoveries: 0, statements: 0, commits: 0 }
  private readonly undo: (() => void)[] = []

  constructor() {
    const db = new Database(':memory:')
    const statement = Object.getPrototypeOf(db.prepare('SELECT 1'))
    db.close()
    const again = (target: Record<string, unknown>, name: string, note: (first: unknown) => void) => {
      const real = target[name] as (...args: unknown[]) => unknown
      target[name] = function counted(this: unknown, ...args: unknown[]) {
        note(args[0])
        return real.apply(this, args)
      }
      this.undo.push(() => {
        target[name] = real
      })
    }
    again(secp256k1 as never, 'ecdsaRecover', () => this.counts.recoveries++)
    for (const name of ['get', 'all', 'run']) again(statement, name, () => this.counts.statements++)
    // those that only read have nothing to sync
    let writes = false
    again(Database.prototype as never, 'exec', (text) => {
      if (text === 'COMMIT' && writes) this.counts.commits++
      if (String(text).startsWith('BEGIN')) writes = text === 'BEGIN IMMEDIATE'
    })
  }

  reset(): void {
    this.counts = { recoveries: 0, statements: 0, commits: 0 }
  }

  stop(): void {
    for (const step of this.undo) step()
  }
}
