import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProviderKey, providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { acquire, order } from '../../test/helpers/consume.js'
import { eventually } from '../../test/helpers/eventually.js'
import type { Published } from '../../test/helpers/publish.js'
import { signatureOf } from '../../test/helpers/requests.js'
import { World } from '../../test/helpers/world.js'
import type { Options } from './benchmark.js'
import { endSharedPostgres } from './database.js'
import { DEPLOYED, type Helper, startHelper } from './processes.js'

/** The built service; BENCH_DIST names another build than that of `npm run build`. */
export const DIST = process.env.BENCH_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url))
const CLI = join(DIST, 'cli.js')

/**
 * The built service in a child process that logs to a file, as in production. If BENCH_PROFILE names a folder, it writes
 * a CPU profile there.
 */
export class Service {
  private constructor(
    readonly url: string,
    readonly process: ChildProcess,
  ) {}

  static async start(settings: Record<string, string>, folder: string): Promise<Service> {
    const log = join(folder, `service-${Date.now()}-${Math.random()}.log`)
    const env = { PATH: process.env.PATH as string, ...DEPLOYED, ...settings, LOG_LEVEL: 'info' }
    const profile = process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []
    const child = spawn(process.execPath, [...profile, CLI, 'start'], {
      env,
      stdio: ['ignore', 'ignore', openSync(log, 'w')],
    })
    let url: string | undefined
    await eventually(() => {
      url = /listening at (http[^"\s]+)/.exec(readFileSync(log, 'utf8'))?.[1]
      if (child.exitCode !== null) throw new Error(`The service ended: ${readFileSync(log, 'utf8')}`)
      return url !== undefined
    })
    return new Service(url as string, child)
  }

  async stop(): Promise<void> {
    const exited = once(this.process, 'exit')
    this.process.kill('SIGTERM')
    await exited
  }
}

/** A consumer and its order. */
export interface Consumer {
  key: ProviderKey
  txId: string
}

/** What the services of a benchmark use: the chain, and a storage with its baselines. */
interface Surroundings {
  world: World
  storage: Helper<{ url: string }>
  baseline: Helper<{ framework: string; proxy: string }>
}

async function surroundings(): Promise<Surroundings> {
  const world = await World.start({ INDEX_POLL_INTERVAL: '500' })
  const storage = await startHelper<{ url: string }>('file-server.ts')
  const baseline = await startHelper<{ framework: string; proxy: string }>('baseline.ts', [storage.message.url])
  return { world, storage, baseline }
}

async function ended({ world, storage, baseline }: Surroundings): Promise<void> {
  await Promise.all([baseline.stop(), storage.stop(), world.close()])
}

/** Those of all benchmarks of a smoke run, which takes no times that they could spoil for each other, and services by their settings. */
let shared: (Surroundings & { folder: string; services: Map<string, Service> }) | undefined

async function startShared(): Promise<NonNullable<typeof shared>> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  return { ...(await surroundings()), folder, services: new Map() }
}

/** Ends what the benchmarks of a smoke run have shared. */
export async function endShared(): Promise<void> {
  await endSharedPostgres()
  if (!shared) return
  const { folder, services, ...around } = shared
  shared = undefined
  await Promise.all([...services.values()].map((service) => service.stop()))
  await ended(around)
  rmSync(folder, { recursive: true })
}

/** The environment of a benchmark of the whole service: chain, storage, service and baselines. */
export class Stage {
  private constructor(
    private readonly around: Surroundings,
    readonly folder: string,
    readonly service: Service,
  ) {}

  static async start({ smoke }: Options, settings: Record<string, string> = {}): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
    const start = async (around: Surroundings, home: string) => {
      const own = { STATE_DIR: mkdtempSync(join(home, 'state-')), INDEX_POLL_INTERVAL: '500', ...settings }
      return Service.start(around.world.beside(own), home)
    }
    if (smoke) {
      shared ??= await startShared()
      const key = JSON.stringify(settings)
      const service = shared.services.get(key) ?? (await start(shared, shared.folder))
      shared.services.set(key, service)
      return new Stage(shared, folder, service)
    }
    const around = await surroundings()
    try {
      return new Stage(around, folder, await start(around, folder))
    } catch (error) {
      // the processes beside it would keep this one from ending
      await ended(around)
      rmSync(folder, { recursive: true })
      throw error
    }
  }

  get world(): World {
    return this.around.world
  }

  get storage(): Surroundings['storage'] {
    return this.around.storage
  }

  get baseline(): Surroundings['baseline'] {
    return this.around.baseline
  }

  /** Publishes a file of `bytes` bytes, and waits until it is indexed. */
  publish(bytes: number): Promise<Published> {
    return this.publishFile({ type: 'url', url: `${this.storage.message.url}/${bytes}`, method: 'GET' })
  }

  /** Publishes a file, and waits until it is indexed. */
  async publishFile(file: object): Promise<Published> {
    const asset = await this.world.publish({ files: [file] })
    const url = `${this.service.url}/api/aquarius/assets/ddo/${asset.did}`
    await eventually(async () => (await fetch(url)).status === 200)
    return asset
  }

  /** Orders the asset for `count` consumers. */
  async consumers(asset: Published, count: number): Promise<Consumer[]> {
    const buyer = await this.world.somebody()
    const fee = await this.world.quote(asset, await buyer.getAddress())
    const consumers: Consumer[] = []
    for (let at = 1; at <= count; at++) {
      const key = providerKey(at.toString(16).padStart(64, '0'))
      await acquire(this.world.network, asset, buyer)
      consumers.push({ key, txId: await order(this.world.network, asset, buyer, fee, { consumer: key.address }) })
    }
    return consumers
  }

  /** Publishes a file of `bytes` bytes, orders it, and returns the request that downloads it with an auth token. */
  async tokenDownload(bytes: number): Promise<string> {
    return this.downloadOf(await this.publish(bytes))
  }

  /** Orders an asset, and returns the request that downloads it with an auth token. */
  async downloadOf(asset: Published): Promise<string> {
    const [consumer] = await this.consumers(asset, 1)
    if (!consumer) throw new Error('There is no order.')
    const authtoken = await this.tokenOf(consumer)
    return raw('GET', `/api/services/download?${new URLSearchParams(downloadQuery(asset, consumer))}`, { authtoken })
  }

  /** Returns an auth token of somebody. */
  async tokenOf(holder: Pick<Consumer, 'key'>): Promise<string> {
    const response = await fetch(`${this.service.url}/api/services/createAuthToken?${signedToken(holder)}`)
    return ((await response.json()) as { token: string }).token
  }

  async close(): Promise<void> {
    if (this.around !== shared) {
      await this.service.stop()
      await ended(this.around)
    }
    rmSync(this.folder, { recursive: true })
  }
}

export function portOf(url: string): number {
  return Number(new URL(url).port)
}

let last = Date.now() * 1000

/** Returns a nonce above every earlier one of this process. */
export function nextNonce(): string {
  last += 1
  return String(last)
}

/** Returns the query of a signed download. */
export function signedDownload(asset: Published, { key, txId }: Consumer): string {
  const nonce = nextNonce()
  const signature = signatureOf(key, asset.did + nonce)
  return `${new URLSearchParams({ ...downloadQuery(asset, { key, txId }), nonce, signature })}`
}

export function downloadQuery(asset: Published, { key, txId }: Consumer): Record<string, string> {
  const serviceId = asset.ddo.services[0]?.id as string
  return { documentId: asset.did, serviceId, fileIndex: '0', transferTxId: txId, consumerAddress: key.address }
}

/** Returns the query of a signed request for an auth token. */
export function signedToken({ key }: Pick<Consumer, 'key'>): string {
  const nonce = nextNonce()
  const expiration = String(Math.floor(Date.now() / 1000) + 3600)
  const signature = signatureOf(key, key.address + nonce)
  return `${new URLSearchParams({ address: key.address, nonce, expiration, signature })}`
}

/** Returns a request as raw HTTP/1.1 text. */
export function raw(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const all = { host: 'localhost', ...headers, ...(body ? { 'content-length': String(body.length) } : {}) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
