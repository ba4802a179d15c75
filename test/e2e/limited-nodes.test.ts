import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CHAIN_LIMITS } from '../../packages/chain/src/limits.js'
import { ChainNodes } from '../../packages/chain/src/nodes/nodes.js'
import { runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { startInstance } from '../helpers/instance.js'
import { LimitedNode, type Limits } from '../helpers/limited-node.js'
import { withLimits } from '../helpers/limits.js'
import type { Published } from '../helpers/publish.js'
import { ask, served } from '../helpers/requests.js'
import { type Said, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'
import { ADDRESS_KINDS, BATCH_KINDS, RANGE_KINDS, RATE_KINDS } from './node-kinds.js'

interface Limited {
  node: string
  limits: string[]
}

/**
 * Milliseconds between two looks at a service, each of which is some requests here and at its node, and often a new block: more
 * of them take the processor from it. The longer one is for what takes seconds.
 */
const [LOOK, SELDOM] = [120, 400]

/** The service on nodes that do not do all that others do. */
describe('a node that', () => {
  // blocks are compared by ranges sooner
  withLimits(CHAIN_LIMITS, ({ confirmation }) => {
    for (const each of confirmation.early) each.age /= 10
    confirmation.retry = 1000
  })
  let world: World
  let published: Promise<Published> | undefined
  const open: (() => unknown)[] = []
  beforeAll(async () => {
    // its own service is there to publish with
    world = await World.start({ INDEX_POLL_INTERVAL: '1000' })
    await world.rpc('anvil_mine', ['0x40'])
  })
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  afterAll(() => world.close())

  /** An asset, for the tests that end with it: each service that reads a document starts threads for it. */
  function publishedAsset(): Promise<Published> {
    published ??= world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    return published
  }

  /** A service on one node for each of the limits. */
  async function serviceOn(...limits: Limits[]) {
    const nodes = await Promise.all(limits.map((each) => LimitedNode.before(world.network.rpcUrl, each)))
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    open.push(() => rmSync(folder, { recursive: true }))
    for (const node of nodes) open.push(() => node.close())
    const urls = nodes.map(({ url }) => url)
    const service = await startHere(
      world.beside({ NETWORK_URL: JSON.stringify({ [world.network.chainId]: urls }), STATE_DIR: folder }),
    )
    open.push(() => service.end())
    const chain = async () => ((await ask(`${service.url}/ready`)).json.chains as Record<string, unknown>[])[0]
    const limitsOf = async (node: LimitedNode) =>
      (((await chain())?.limits ?? []) as Limited[]).find(({ node: host }) => host === node.host)?.limits ?? []
    return { nodes, service, chain, limitsOf }
  }
  const isReady = async (url: string) => (await ask(`${url}/ready`)).status === 200
  const limitLines = (said: Said[]) => said.filter(({ msg }) => msg === 'chain node has a limit')

  it('has no limit is not said to have one', async () => {
    const { service, chain } = await serviceOn({})
    await eventually(() => isReady(service.url), undefined, LOOK)
    expect((await chain())?.limits).toBeUndefined()
    expect(limitLines(service.said)).toEqual([])
  })

  // with the requests alone: one of these kinds is in a service in the test of a node that has the ability after all
  it.each(Object.entries(BATCH_KINDS))('answers batches with %s is used without them', async (_, limits) => {
    const { url } = await LimitedNode.before(world.network.rpcUrl, limits())
    const said: Said[] = []
    const note = (fields: object, msg: string) => void said.push({ ...fields, msg })
    const log = { debug: note, info: note, warn: note, error: note }
    const nodes = new ChainNodes(world.network.chainId, [new URL(url)], { timeout: 60_000, agreement: 1, log })
    const numbers = [1n, 2n, 3n]
    const found = async () => {
      const read = numbers.map((blockNumber) => nodes.ask((client) => client.getBlock({ blockNumber })))
      // the first ones may fail, as a node that refuses their batch may have failed
      const blocks = await Promise.all(read).catch(() => [])
      const isKnown = nodes.health[0]?.limits.some((one) => /batches/.test(one))
      return isKnown === true && String(blocks.map(({ number }) => number)) === String(numbers)
    }
    await eventually(found, undefined, LOOK)
    expect(limitLines(said).filter(({ limit }) => /batches/.test(String(limit)))).toHaveLength(1)
    expect(JSON.stringify(said)).not.toContain('hunter2')
  })

  it.each(Object.entries(RANGE_KINDS))('gives few blocks at once is read (%s)', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), undefined, LOOK)
    const found = async () => (await limitsOf(nodes[0] as LimitedNode)).some((one) => /blocks at once/.test(one))
    await eventually(found, undefined, LOOK)
    expect(limitLines(service.said)).toHaveLength(1)
  })

  it.each(Object.entries(RATE_KINDS))('limits the rate of calls is read at that rate (%s)', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), undefined, SELDOM)
    await eventually(
      async () => {
        await world.rpc('anvil_mine')
        return (await limitsOf(nodes[0] as LimitedNode)).includes('limits the rate of calls')
      },
      undefined,
      SELDOM,
    )
  })

  it('refuses every call for its rate is left alone for the time that it names', async () => {
    const { nodes, service } = await serviceOn({})
    const [node] = nodes as [LimitedNode]
    await eventually(() => isReady(service.url), undefined, LOOK)
    const from = node.requests.length
    const busy = { status: 429, headers: { 'retry-after': '5' }, body: 'Too Many Requests' }
    node.limits = { batch: () => busy, call: () => ({ http: busy }) }
    await eventually(() => node.requests.slice(from).filter(({ status }) => status === 429).length >= 2)
    const [first, second] = node.requests.slice(from).filter(({ status }) => status === 429) as unknown as [
      { at: number },
      { at: number },
    ]
    // requests that were in flight together are refused together
    expect(second.at - first.at < 100 || second.at - first.at >= 4900).toBe(true)
    const after = node.requests.filter(({ at }) => at > first.at + 100 && at < first.at + 4900)
    expect(after).toEqual([])
    node.limits = {}
    await eventually(() => isReady(service.url), undefined, LOOK)
  })

  it('has the ability after all is known to have it', async () => {
    const { nodes, service, limitsOf } = await serviceOn((BATCH_KINDS['400 and text'] as () => Limits)())
    const [node] = nodes as [LimitedNode]
    await eventually(async () => (await limitsOf(node)).includes('takes no batches of calls'))
    node.limits = {}
    await eventually(
      async () => {
        await world.rpc('anvil_mine')
        return (await limitsOf(node)).length === 0
      },
      undefined,
      SELDOM,
    )
    expect(await isReady(service.url)).toBe(true)
    const ends = () => service.said.filter(({ msg }) => msg === 'chain node limit has ended')
    await eventually(() => ends().length === 1)
  })

  it.each(Object.entries(ADDRESS_KINDS))('gives events by address alone is read by address (%s)', async (_, limits) => {
    const asset = await publishedAsset()
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), undefined, LOOK)
    await eventually(async () =>
      (await limitsOf(nodes[0] as LimitedNode)).some((one) => /by contract address/.test(one)),
    )
    expect(limitLines(service.said)).toHaveLength(1)
    await served(service.url, asset)
  })

  it('gives no events leaves the index to another node, and is named', async () => {
    const asset = await publishedAsset()
    const none = () => ({ error: { code: -32601, message: 'the method eth_getLogs is not available' } })
    const { nodes, service, limitsOf } = await serviceOn(
      { call: (call) => (call.method === 'eth_getLogs' ? none() : undefined) },
      {},
    )
    const [first] = nodes as [LimitedNode]
    await eventually(() => isReady(service.url), undefined, LOOK)
    await eventually(async () => {
      await world.rpc('anvil_mine')
      return (await limitsOf(first)).some((one) => /no events/.test(one))
    })
    await served(service.url, asset)
    // it still answers calls
    const from = first.requests.length
    await eventually(() => first.requests.length > from)
  })

  it('gives no events, and is the only one, is named by /ready', async () => {
    const { nodes, service, limitsOf } = await serviceOn({
      call: ({ method }) =>
        method === 'eth_getLogs' ? { error: { code: -32601, message: 'method not found' } } : undefined,
    })
    await eventually(async () => (await limitsOf(nodes[0] as LimitedNode)).some((one) => /no events/.test(one)))
    expect(await isReady(service.url)).toBe(false)
  })

  it('has limits is named by doctor and by the log, without its key', async () => {
    const node = await LimitedNode.before(world.network.rpcUrl, {
      ...(BATCH_KINDS['400 and text'] as () => Limits)(),
      ...(RANGE_KINDS['Alchemy, 10 blocks'] as () => Limits)(),
    })
    open.push(() => node.close())
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    open.push(() => rmSync(folder, { recursive: true }))
    const environment = world.beside({
      NETWORK_URL: JSON.stringify({ [world.network.chainId]: node.url }),
      STATE_DIR: folder,
      IPFS_GATEWAY: world.storage.origin,
      ARWEAVE_GATEWAY: world.storage.origin,
    })
    const { status, stdout } = await runHere(['doctor'], environment)
    expect(status).toBe(0)
    expect(stdout).toContain(`warn  chain ${world.network.chainId}, node ${node.host}: takes no batches of calls\n`)
    expect(stdout).toContain(`node ${node.host}: gives the events of fewer than 11 blocks at once\n`)
    expect(stdout).toContain('a node gives the events that the index reads')
    const instance = await startInstance(environment)
    open.push(() => instance.end())
    await eventually(() => isReady(instance.url))
    const lines = instance.lines.filter((line) => line.includes('chain node has a limit'))
    expect(lines.map((line) => JSON.parse(line) as { node: string }).map((line) => line.node)).toEqual([
      node.host,
      node.host,
    ])
    expect(stdout + instance.lines.join('')).not.toContain('hunter2')
    node.limits = {
      call: ({ method }) => (method === 'eth_getLogs' ? { error: { code: -1, message: 'no' } } : undefined),
    }
    const failed = await runHere(['doctor'], environment)
    expect(failed.status).toBe(1)
    expect(failed.stdout).toContain('no node gives the events that the index reads')
  })
})
