import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { LimitedNode, type Limits } from '../helpers/limited-node.js'
import { ADDRESS_KINDS, BATCH_KINDS, RANGE_KINDS, RATE_KINDS } from '../helpers/node-kinds.js'
import type { Published } from '../helpers/publish.js'
import { ask } from '../helpers/requests.js'
import { type Said, startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

interface Limited {
  node: string
  limits: string[]
}

/** The service on nodes that do not do all that others do. */
describe('a node that', () => {
  let world: World
  let asset: Published
  const open: (() => unknown)[] = []
  beforeAll(async () => {
    world = await World.start()
    asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    await world.rpc('anvil_mine', ['0x40'])
  })
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  afterAll(() => world.close())

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
    await eventually(() => isReady(service.url), 20_000)
    expect((await chain())?.limits).toBeUndefined()
    expect(limitLines(service.said)).toEqual([])
  })

  it.each(Object.entries(BATCH_KINDS))('answers batches with %s is used without them', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), 20_000)
    await eventually(async () => (await limitsOf(nodes[0] as LimitedNode)).some((one) => /batches/.test(one)))
    // it may have been found while the service was built, before its log is kept
    expect(limitLines(service.said).length).toBeLessThanOrEqual(1)
    expect(JSON.stringify(service.said)).not.toContain('hunter2')
  })

  it.each(Object.entries(RANGE_KINDS))('gives few blocks at once is read (%s)', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), 20_000)
    await eventually(async () => (await limitsOf(nodes[0] as LimitedNode)).some((one) => /blocks at once/.test(one)))
    expect(limitLines(service.said)).toHaveLength(1)
  })

  it.each(Object.entries(ADDRESS_KINDS))('gives events by address alone is read by address (%s)', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), 20_000)
    await eventually(async () =>
      (await limitsOf(nodes[0] as LimitedNode)).some((one) => /by contract address/.test(one)),
    )
    expect(limitLines(service.said)).toHaveLength(1)
  })

  it.each(Object.entries(RATE_KINDS))('limits the rate of calls is read at that rate (%s)', async (_, limits) => {
    const { nodes, service, limitsOf } = await serviceOn(limits())
    await eventually(() => isReady(service.url), 20_000)
    await eventually(async () => (await limitsOf(nodes[0] as LimitedNode)).includes('limits the rate of calls'))
  })
})
