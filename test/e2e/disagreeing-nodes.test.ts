import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { balancedNode } from '../helpers/balanced-node.js'
import { atEnd } from '../helpers/cleanup.js'
import { runHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { ask, downloadUrl, served } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

const FALSE_HEAD = 'names a head whose block it does not have'

describe('nodes that contradict each other', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
    await world.rpc('anvil_mine', ['0x40'])
  })
  const host = ({ url }: RpcProxy) => new URL(url).host
  const settings = (proxies: RpcProxy[], changed: Record<string, string> = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    atEnd(async () => rmSync(folder, { recursive: true, force: true }))
    const urls = proxies.map(({ url }) => url).join(',')
    const gateways = { IPFS_GATEWAY: world.storage.origin, ARWEAVE_GATEWAY: world.storage.origin }
    return world.beside({
      NETWORK_URL: JSON.stringify({ [world.network.chainId]: urls }),
      STATE_DIR: folder,
      ...gateways,
      ...changed,
    })
  }
  const two = () => Promise.all([0, 1].map(() => RpcProxy.before(world.network.rpcUrl)))

  it('leave the service ready while one of two names a false head, which is named (threat 128)', async () => {
    const proxies = await two()
    const [liar] = proxies as [RpcProxy]
    liar.lie = (method, truth) => (method === 'eth_blockNumber' ? '0xffffff' : truth)
    const environment = settings(proxies)
    const { stdout } = await runHere(['doctor'], environment)
    expect(stdout).toContain(`FAIL  chain ${world.network.chainId}, node ${host(liar)}: ${FALSE_HEAD}\n`)
    const instance = await startHere(environment)
    await eventually(async () => (await ask(`${instance.url}/ready`)).status === 200)
    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')))
    await served(instance.url, asset)
    expect((await ask(await downloadUrl(instance.url, asset, txId, buyer))).text).toBe('tide')
    const head = await world.provider.getBlockNumber()
    const chain = async () => ((await ask(`${instance.url}/ready`)).json.chains as Record<string, unknown>[])[0]
    await eventually(async () => (await chain())?.head === head)
    expect(await chain()).toMatchObject({ ready: true, head, limits: [{ node: host(liar), limits: [FALSE_HEAD] }] })
  })

  it('are compared by doctor (threat 128)', async () => {
    const proxies = await two()
    const [other, lagging] = proxies as [RpcProxy, RpcProxy]
    other.lie = (method, truth) =>
      method === 'eth_getBlockByNumber' && truth ? { ...truth, hash: `0x${'ab'.repeat(32)}` } : truth
    const environment = settings(proxies)
    const failed = await runHere(['doctor'], environment)
    expect(failed.status).toBe(1)
    expect(failed.stdout).toMatch(/^FAIL {2}chain \d+: its nodes disagree about block \d+: \S+ has 0xabab/m)
    other.lie = (_method, truth) => truth
    lagging.lagsAt = 1
    const { status, stdout } = await runHere(['doctor'], environment)
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`^warn .*, node ${host(lagging)}: is \\d+ blocks behind another node$`, 'm'))
    expect(stdout).toMatch(/^ok {4}chain \d+: its nodes agree about block 0$/m)
  })

  it('one that mixes moments is named by doctor (threat 128)', async () => {
    const node = await balancedNode(world.network.rpcUrl, { lags: { blocks: [0, 60_000] }, seed: 3 })
    await world.rpc('anvil_mine', ['0x2'])
    const { stdout } = await runHere(['doctor'], settings([node]))
    expect(stdout).toContain(`node ${host(node)}: mixes answers of different moments\n`)
  })
})
