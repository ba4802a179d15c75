import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHAIN_LIMITS } from '../../packages/chain/src/limits.js'
import { type App, createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { chainWithContracts } from '../helpers/chain.js'
import { newFolder } from '../helpers/cleanup.js'
import { program } from '../helpers/command.js'
import { runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { startInstance } from '../helpers/instance.js'
import { withLimits } from '../helpers/limits.js'
import type { Published } from '../helpers/publish.js'
import { ask, served } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

const DAY = 86_400
const OTHER_CHAIN = 8997

/** The arguments of node for `tidegate` on a machine whose clock is so many seconds ahead. */
const programAt = (seconds: number) => {
  const clock = `const D = Date; globalThis.Date = class extends D {
    constructor(...given) { given.length > 0 ? super(...given) : super(D.now() + ${seconds * 1000}) }
    static now() { return D.now() + ${seconds * 1000} } }`
  return ['--import', `data:text/javascript,${encodeURIComponent(clock)}`, ...program()]
}

/** Adds seconds to the times of blocks. */
const shifted = (seconds: number) => (method: string, truth: unknown) => {
  const block = truth as { timestamp?: string } | null
  if (method !== 'eth_getBlockByNumber' || !block?.timestamp) return truth
  return { ...block, timestamp: `0x${(Number(block.timestamp) + seconds).toString(16)}` }
}

describe('a service whose clock is wrong', () => {
  // a fast clock is proven sooner
  withLimits(CHAIN_LIMITS, ({ clock }) => {
    clock.span = 4
  })
  const folder = newFolder()
  let world: World
  let asset: Published
  let buyer: Wallet

  beforeAll(async () => {
    world = await World.start()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tides')))
    buyer = await world.somebody()
  })

  const quote = async (base: string) => {
    const query = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address }
    const { status, json } = await ask(`${base}/api/services/initialize?${new URLSearchParams(query)}`)
    return [status, status === 200 ? 'providerFee' in json : json.code]
  }
  const readiness = async (base: string) => {
    const { status, json } = await ask(`${base}/ready`)
    return { status, clocks: (json.chains as { clock: number }[]).map(({ clock }) => clock) }
  }
  const at = (name: string) => world.beside({ STATE_DIR: join(folder, name) })
  const started = async <T extends Service>(starting: Promise<T>) => {
    const service = await starting
    await served(service.url, asset)
    return service
  }
  /** Settings whose clock is so many seconds ahead of the blocks of their node. */
  const ahead = async (name: string, seconds: number) => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    node.lie = shifted(-seconds)
    return { ...at(name), NETWORK_URL: JSON.stringify({ [world.network.chainId]: node.url }) }
  }
  const isReady = (base: string) => eventually(async () => (await readiness(base)).status === 200)

  it('by days in the past says so, and gives no quotes (threat 99)', async () => {
    const [right, slow] = await Promise.all([
      started(startHere(at('right'))),
      started(startInstance(at('slow'), programAt(-3 * DAY))),
    ])
    try {
      await isReady(right.url)
      await eventually(async () => (await readiness(slow.url)).status === 503)
      const [offset] = (await readiness(slow.url)).clocks as [number]
      expect(Math.abs(offset + 3 * DAY)).toBeLessThan(DAY)
      expect(await quote(slow.url)).toEqual([503, 'CLOCK_WRONG'])
      expect(slow.lines.filter((line) => line.includes('3 days slow'))).toHaveLength(1)
      expect(await quote(right.url)).toEqual([200, true])
      expect((await readiness(right.url)).status).toBe(200)
      expect(right.said.filter(({ msg }) => msg?.includes('clock'))).toEqual([])
    } finally {
      await Promise.all([right.end(), slow.end()])
    }
    const [wrong, well] = await Promise.all([
      runHere(['doctor'], await ahead('doctor', -3 * DAY)),
      runHere(['doctor'], at('doctor')),
    ])
    expect(wrong.stdout).toMatch(/^FAIL {2}clock of this machine: 3 days slow by chain 8996$/m)
    expect(well.stdout).toMatch(/^ok {4}clock of this machine: agrees with chain 8996$/m)
  })

  it('by days in the future, or 20 minutes at a long interval, says so once new blocks are old when they arrive, not before (threat 99)', async () => {
    const [right, fast] = await Promise.all([
      started(startHere(at('control'))),
      started(startHere(await ahead('fast', 3 * DAY))),
    ])
    try {
      // a chain that mines nothing proves nothing
      await isReady(fast.url)
      expect(await quote(fast.url)).toEqual([200, true])
      await world.rpc('evm_setIntervalMining', [1])
      const { url } = await started(startHere({ ...(await ahead('mining', 1200)), INDEX_POLL_INTERVAL: '20000' }))
      await eventually(async () => (await readiness(fast.url)).status === 503, undefined, 1000)
      const [offset] = (await readiness(fast.url)).clocks as [number]
      expect(Math.abs(offset - 3 * DAY)).toBeLessThan(DAY)
      expect(await quote(fast.url)).toEqual([503, 'CLOCK_WRONG'])
      await eventually(async () => (await quote(url))[1] === 'CLOCK_WRONG', undefined, 1000)
      expect(await quote(right.url)).toEqual([200, true])
      expect(await readiness(right.url)).toEqual({ status: 200, clocks: [0] })
    } finally {
      await world.rpc('evm_setIntervalMining', [0])
      await Promise.all([right.end(), fast.end()])
    }
  })

  it('is not concluded from one node of several that lies (threat 99)', async () => {
    const liar = await RpcProxy.before(world.network.rpcUrl)
    liar.lie = shifted(1000 * DAY)
    const services: App[] = []
    const serve = async (name: string, nodes: string[]) => {
      const nodesOf = { NETWORK_URL: JSON.stringify({ [world.network.chainId]: nodes.join(',') }) }
      const app = await createApp(loadSettings({ ...at(name), ...nodesOf }))
      services.push(app)
      const base = await app.listen()
      await served(base, asset)
      return base
    }
    try {
      const { rpcUrl } = world.network
      const [beside, alone] = await Promise.all([serve('liar', [liar.url, rpcUrl]), serve('alone', [liar.url])])
      await eventually(async () => (await readiness(alone)).status === 503)
      expect(await quote(alone)).toEqual([503, 'CLOCK_WRONG'])
      await isReady(beside)
      expect(await quote(beside)).toEqual([200, true])
    } finally {
      for (const app of services) await app.close()
      liar.close()
    }
  })

  it('is not concluded from one chain of several that has another time (threat 99)', async () => {
    const other = await chainWithContracts(OTHER_CHAIN)
    const ahead = await RpcProxy.before(other.rpcUrl)
    ahead.lie = shifted(3 * DAY)
    const urls = { [world.network.chainId]: world.network.rpcUrl, [OTHER_CHAIN]: ahead.url }
    const addresses = join(folder, 'address.json')
    writeFileSync(addresses, JSON.stringify({ development: world.network.addresses, other: other.addresses }))
    const app = await createApp(
      loadSettings({ ...at('chains'), NETWORK_URL: JSON.stringify(urls), ADDRESS_FILE: addresses }),
    )
    try {
      const base = await app.listen()
      await served(base, asset)
      await eventually(async () => {
        await world.rpc('evm_mine')
        const { status, clocks } = await readiness(base)
        return status === 200 && clocks.some((clock) => clock < -2 * DAY)
      })
      expect(await quote(base)).toEqual([200, true])
    } finally {
      await app.close()
      ahead.close()
      await other.anvil.stop()
    }
  })
})
