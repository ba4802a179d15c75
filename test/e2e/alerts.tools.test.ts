import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { type App, createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { PROVIDER_LIMITS } from '../../packages/provider/src/limits.js'
import { newFolder } from '../helpers/cleanup.js'
import { eventually } from '../helpers/eventually.js'
import { IpfsGateway } from '../helpers/ipfs-gateway.js'
import { type PostgresBackend, startPostgresServer } from '../helpers/postgres-server.js'
import type { Published } from '../helpers/publish.js'
import { ask, askJson, createToken, downloadUrl, freshNonce, served } from '../helpers/requests.js'
import type { RpcProxy } from '../helpers/rpc-proxy.js'
import { begin, tokenOf } from '../helpers/uploads.js'
import { World } from '../helpers/world.js'
import { hasPrometheus, hurried, Prometheus, smallDisk } from './prometheus.js'

const KEY = providerKey(`0x${'44'.repeat(32)}`)
const MISSING_CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const GIBIBYTE = 2 ** 30
/** Milliseconds between two looks of an index at its chain: three services that wait for minutes need no more of them. */
const SELDOM = '500'

if (!hasPrometheus) console.warn('SKIPPED: raising the alerts. prometheus is not installed (Debian: prometheus).')

/** Raises each alert of deploy/alerts.yaml by causing its condition, and waits until it clears once that is over. */
describe.skipIf(!hasPrometheus)('the alerts', () => {
  const folder = newFolder()
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(receives ? 200 : 500).end())
  })
  let receives = true
  let world: World
  let node: RpcProxy
  let gateway: IpfsGateway
  let postgres: PostgresBackend
  let onPostgres: App
  let onSmallDisk: App | undefined
  let replaced: App | undefined
  let hosting: string | undefined
  let prometheus: Prometheus
  let buyer: Wallet
  let whole: [Published, string]
  let cut: [Published, string]
  let isCut = false

  beforeAll(async () => {
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
    ;[gateway, postgres] = await Promise.all([IpfsGateway.start(), startPostgresServer()])
    ;({ world, proxy: node } = await World.behindProxy({
      METRICS_PORT: '0',
      INDEX_POLL_INTERVAL: SELDOM,
      IPFS_GATEWAY: gateway.origin,
      DESCRIBE_MAX_PER_HOST: '2',
      USE_HTTP_PROOF: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      WEBHOOK_SECRET: 's'.repeat(32),
    }))
    onPostgres = await service({ DATABASE_URL: postgres.url() }, 'beside-postgres')
    const disk = smallDisk(folder, 'disk', '64m')
    hosting = smallDisk(folder, 'hosting', '2m')
    // the disk is smaller than what the index leaves free
    const hosted = {
      INDEX_DISK_FLOOR: '0',
      HOSTING: 'local',
      HOSTING_DIR: join(folder, hosting ?? ''),
      HOSTING_PUBLISHERS: '*',
    }
    if (disk) onSmallDisk = await service(hosted, disk)
    buyer = await world.somebody()
    const ordered = async (url: string): Promise<[Published, string]> => {
      const asset = await world.publishUrl(url)
      return [asset, await world.order(asset, buyer)]
    }
    whole = await ordered(world.storage.file('/a.csv', Buffer.from('hour,height\n')))
    const cuts = world.storage.on('/cut', (_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('hour,')
      if (isCut) setImmediate(() => response.destroy())
      else response.end('heigh')
    })
    cut = await ordered(cuts)
    // it indexes the assets with their key, and starts again without it
    const before = await service({}, 'replaced')
    await served(before.server.listeningOrigin, cut[0])
    await before.close()
    const key = { PROVIDER_PRIVATE_KEY: `0x${'77'.repeat(32)}`, PUBLIC_URL: world.network.providerUrl }
    replaced = await service(key, 'replaced')
    const apps = [world.local.app, onPostgres, replaced, ...(onSmallDisk ? [onSmallDisk] : [])]
    const targets = apps.map(({ metricsUrl }) => new URL(metricsUrl as string).host)
    prometheus = await Prometheus.start(targets, hurried())
  })
  afterAll(async () => {
    await prometheus?.close()
    await onSmallDisk?.close()
    await replaced?.close()
    await onPostgres?.close()
    receiver.close()
    // the database may still have files open on it
    for (const disk of ['disk', 'hosting']) spawnSync('umount', ['-l', join(folder, disk)])
  })

  async function service(changed: Record<string, string>, name: string): Promise<App> {
    const own = { METRICS_PORT: '0', INDEX_POLL_INTERVAL: SELDOM, STATE_DIR: join(folder, name), ...changed }
    const app = await createApp(loadSettings(world.beside(own)))
    await app.listen()
    return app
  }

  /** Waits for Prometheus, which looks twice a second, as we do: each of our looks is a query of it, and requests to the service. */
  const byPrometheus = (condition: () => Promise<boolean>) => eventually(condition, undefined, 500)
  const firing = async () => new Set((await prometheus.firing()).map(({ labels }) => labels.alertname))
  /** Repeats client requests until these alerts fire. */
  const raised = (names: string[], meanwhile: () => Promise<unknown> = async () => undefined) =>
    byPrometheus(async () => {
      await meanwhile()
      const now = await firing()
      return names.every((name) => now.has(name))
    })
  const over = (names: string[], meanwhile: () => Promise<unknown> = async () => undefined) =>
    byPrometheus(async () => {
      await meanwhile()
      const now = await firing()
      return !names.some((name) => now.has(name))
    })
  const url = () => world.network.providerUrl
  const fileinfo = (file: object) => askJson(`${url()}/api/services/fileinfo`, file)
  const download = async ([asset, txId]: [Published, string]) =>
    ask(await downloadUrl(url(), asset, txId, buyer)).catch(() => undefined)
  /** Requests a file from the gateway and one from a publisher's host. */
  const lookUp = () =>
    Promise.all([
      fileinfo({ type: 'ipfs', hash: MISSING_CID }),
      fileinfo({ type: 'url', url: `${world.storage.origin}/described`, method: 'GET' }),
    ])
  /** One of each kind of client request that an alert counts. */
  const traffic = () =>
    Promise.all([
      download(whole),
      download(cut),
      lookUp(),
      createToken(onPostgres.server.listeningOrigin, KEY, freshNonce()),
    ])
  let describes = (): number | undefined => 200
  const described = () =>
    world.storage.on('/described', (_request, response) => {
      const status = describes()
      if (status) response.writeHead(status).end()
    })

  it('can all be evaluated, and are silent while everything is healthy', async () => {
    described()
    await eventually(async () => {
      await traffic()
      return (await prometheus.rules()).every(({ health }) => health === 'ok')
    })
    const { length } = hurried().flatMap(({ rules }) => rules)
    expect(await prometheus.rules()).toHaveLength(length)
    await eventually(async () => (await prometheus.values('up')).every((value) => value === 1))
    // with their shorter times some may have fired while the services and Prometheus started
    await byPrometheus(async () => {
      await traffic()
      return [...(await firing())].every((name) => name === 'TidegateDiskFull' || name === 'TidegateKeyUnknown')
    })
  })

  it("fire for publishers' hosts and for gateways, independently", async () => {
    describes = () => 503
    await raised(['TidegateStorageFailures'], lookUp)
    expect([...(await firing())]).not.toContain('TidegateGatewayFailures')
    describes = () => 200
    gateway.down = true
    await raised(['TidegateGatewayFailures'], lookUp)
    await over(['TidegateStorageFailures'], lookUp)
    gateway.down = false
    await over(['TidegateGatewayFailures'], lookUp)
  })

  it('fire when downloads break, and when proofs and webhooks are queued', async () => {
    receives = false
    isCut = true
    await raised(['TidegateBrokenDownloads', 'TidegateProofsWaiting', 'TidegateWebhooksWaiting'], traffic)
    isCut = false
    await over(['TidegateBrokenDownloads'], traffic)
  })

  it('fire when limits on storage requests are reached', async () => {
    let held = 0
    describes = () => void held++
    const hanging = new AbortController()
    const asking = Array.from({ length: 2 }, () =>
      fetch(`${url()}/api/services/fileinfo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'url', url: `${world.storage.origin}/described`, method: 'GET' }),
        signal: hanging.signal,
      }).catch(() => undefined),
    )
    // otherwise what follows takes their slots
    await eventually(() => held === 2)
    await raised(['TidegateStorageBusy'], traffic)
    hanging.abort()
    await Promise.all(asking)
    describes = () => 200
  })

  it('fire when the index lags although its node answers', async () => {
    node.refuse = (method) => (method === 'eth_getLogs' ? { code: -32000, message: 'no logs today' } : undefined)
    // an index that looks while they are mined reads the newest by their blooms alone: more, until it lags
    await raised(['TidegateIndexLag', 'TidegateIndexNotCurrent'], () => world.rpc('anvil_mine', ['0x96']))
    expect([...(await firing())]).not.toContain('TidegateStaleHead')
    node.refuse = () => undefined
    await over(['TidegateIndexLag', 'TidegateIndexNotCurrent'])
  })

  it('fire when the index is corrected often', async () => {
    const { metrics } = world.local.app.context
    await raised(['TidegateIndexCorrected'], async () => metrics.onCorrected(world.network.chainId))
    await over(['TidegateIndexCorrected'])
  })

  it('fire when a node is down and the head of its chain becomes stale', async () => {
    node.down = true
    await raised(['TidegateNodeDown', 'TidegateStaleHead'])
    const raisedFor = (await prometheus.firing()).find(({ labels }) => labels.alertname === 'TidegateNodeDown')
    expect(raisedFor?.annotations.summary).toContain(`node ${new URL(node.url).host} `)
    node.down = false
    await over(['TidegateNodeDown', 'TidegateStaleHead'])
  })

  it('fire when heads are from the future (threat 99)', async () => {
    node.lie = (method, truth) => {
      const block = truth as { timestamp?: string } | null
      if (method !== 'eth_getBlockByNumber' || !block?.timestamp) return truth
      return { ...block, timestamp: `0x${(Number(block.timestamp) + 86_400).toString(16)}` }
    }
    await raised(['TidegateClockWrong'])
    node.lie = (_, truth) => truth
    await over(['TidegateClockWrong'])
  })

  it('fire when a key was replaced without its predecessor (threat 100)', async () => {
    await raised(['TidegateKeyUnknown'])
  })

  it('fire when the database is unavailable and requests are refused because of it', async () => {
    await postgres.crash()
    await raised(['TidegateDatabaseAway', 'TidegateServerErrors'], traffic)
    await postgres.recover()
    await over(['TidegateDatabaseAway', 'TidegateServerErrors'], traffic)
  })

  it('fire when the queue of deliveries is full', async () => {
    const delivered = async () =>
      onPostgres.context.ledger.recordDelivery({
        ...{ at: Date.now(), chainId: world.network.chainId, did: whole[0].did, nft: whole[0].nft as Address },
        ...{ service: 's', file: 0, consumer: buyer.address as Address, orderTx: whole[1] as Hex },
        ...{ bytes: 1, complete: true, begun: Date.now(), isRange: false },
      })
    await postgres.crash()
    for (let waiting = 0; waiting < PROVIDER_LIMITS.ledger.queue; waiting++) await delivered()
    await raised(['TidegateDeliveriesDropped'], delivered)
    await postgres.recover()
    await over(['TidegateDeliveriesDropped', 'TidegateDatabaseAway'])
  })

  it('fire when the disk of the database is nearly full', async () => {
    if (!onSmallDisk) return
    await raised(['TidegateDiskFull'])
    const [left = 0] = await prometheus.values('tidegate_state_disk_free_bytes < 1e9')
    expect(left).toBeLessThan(GIBIBYTE)
  })

  it('fire when uploads find no room', async () => {
    if (!onSmallDisk || !hosting) return
    const base = onSmallDisk.server.listeningOrigin
    const auth = await tokenOf(base, buyer)
    const refused = () => expect(begin(base, 3_000_000, auth)).rejects.toThrow('507')
    await raised(['TidegateHostingFull'], refused)
    await over(['TidegateHostingFull'])
  })

  it('fire when the service is down', async () => {
    await onPostgres.close()
    await raised(['TidegateDown'])
  })
})
