import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acquire, order } from '../../demo/consume.js'
import type { Published } from '../../demo/publish.js'
import { type ProviderKey, providerKey } from '../../src/crypto/keys.js'
import { YOUNG } from '../../src/workers.js'
import { eventually } from '../../test/helpers/eventually.js'
import { signatureOf } from '../../test/helpers/requests.js'
import { World } from '../../test/helpers/world.js'
import { type Helper, startHelper } from './processes.js'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/**
 * The built service in a process of its own, logging to a file as it does in production. With BENCH_PROFILE=folder in
 * the environment it writes a CPU profile there.
 */
export class Service {
  private constructor(
    readonly url: string,
    readonly process: ChildProcess,
  ) {}

  static async start(settings: Record<string, string>, folder: string): Promise<Service> {
    const log = join(folder, `service-${Date.now()}-${Math.random()}.log`)
    const env = { PATH: process.env.PATH as string, NODE_ENV: 'production', ...settings, LOG_LEVEL: 'info' }
    const profile = process.env.BENCH_PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`] : []
    const child = spawn(process.execPath, [...profile, ...YOUNG, CLI, 'start'], {
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
    const gone = once(this.process, 'exit')
    this.process.kill('SIGTERM')
    await gone
  }
}

/** A consumer, with what it needs to ask for a file that it has ordered. */
export interface Consumer {
  key: ProviderKey
  txId: string
}

/** Everything that a benchmark of the whole service needs: chain, storage, service, and what it is compared with. */
export class Stage {
  private constructor(
    readonly world: World,
    readonly folder: string,
    readonly storage: Helper<{ url: string }>,
    readonly baseline: Helper<{ framework: string; proxy: string }>,
    readonly service: Service,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
    const world = await World.start({ INDEX_POLL_INTERVAL: '500' })
    const storage = await startHelper<{ url: string }>('file-server.ts')
    const baseline = await startHelper<{ framework: string; proxy: string }>('baseline.ts', [storage.said.url])
    const beside = world.beside({ STATE_DIR: join(folder, 'state'), INDEX_POLL_INTERVAL: '500', ...settings })
    return new Stage(world, folder, storage, baseline, await Service.start(beside, folder))
  }

  /** Publishes a file of so many bytes, and waits until the service knows it. */
  async publish(bytes: number): Promise<Published> {
    const asset = await this.world.publishUrl(`${this.storage.said.url}/${bytes}`)
    const url = `${this.service.url}/api/aquarius/assets/ddo/${asset.did}`
    await eventually(async () => (await fetch(url)).status === 200)
    return asset
  }

  /** Orders the asset for as many consumers. */
  async consumers(asset: Published, count: number): Promise<Consumer[]> {
    const buyer = await this.world.somebody()
    const fee = await this.world.quote(asset, await buyer.getAddress())
    const found: Consumer[] = []
    for (let at = 1; at <= count; at++) {
      const key = providerKey(at.toString(16).padStart(64, '0'))
      await acquire(this.world.network, asset, buyer)
      found.push({ key, txId: await order(this.world.network, asset, buyer, fee, { consumer: key.address }) })
    }
    return found
  }

  /** Publishes a file of so many bytes, and answers the request of somebody who has ordered it, with an auth token. */
  async tokenDownload(bytes: number): Promise<string> {
    const asset = await this.publish(bytes)
    const [consumer] = await this.consumers(asset, 1)
    if (!consumer) throw new Error('Nobody has ordered.')
    const answer = await fetch(`${this.service.url}/api/services/createAuthToken?${signedToken(consumer)}`)
    const { token } = (await answer.json()) as { token: string }
    return raw('GET', `/api/services/download?${new URLSearchParams(downloadQuery(asset, consumer))}`, {
      authtoken: token,
    })
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.baseline.stop()
    await this.storage.stop()
    await this.world.close()
    rmSync(this.folder, { recursive: true })
  }
}

export function portOf(url: string): number {
  return Number(new URL(url).port)
}

let last = Date.now() * 1000

/** A nonce above every earlier one of this process. */
export function nextNonce(): string {
  last += 1
  return String(last)
}

/** Query of a signed download. */
export function signedDownload(asset: Published, { key, txId }: Consumer): string {
  const nonce = nextNonce()
  const signature = signatureOf(key, asset.did + nonce)
  return `${new URLSearchParams({ ...downloadQuery(asset, { key, txId }), nonce, signature })}`
}

export function downloadQuery(asset: Published, { key, txId }: Consumer): Record<string, string> {
  const serviceId = asset.ddo.services[0]?.id as string
  return { documentId: asset.did, serviceId, fileIndex: '0', transferTxId: txId, consumerAddress: key.address }
}

/** Query of a signed request for an auth token. */
export function signedToken({ key }: Consumer): string {
  const nonce = nextNonce()
  const expiration = String(Math.floor(Date.now() / 1000) + 3600)
  const signature = signatureOf(key, key.address + nonce)
  return `${new URLSearchParams({ address: key.address, nonce, expiration, signature })}`
}

/** A request as the bytes that are sent. */
export function raw(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const all = { host: 'localhost', ...headers, ...(body ? { 'content-length': String(body.length) } : {}) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
