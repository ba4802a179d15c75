import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FactoryWatch } from '../../packages/chain/src/factory.js'
import { connectChains } from '../../packages/provider/src/app/connect.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { buildHere } from '../helpers/command-here.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { ask, downloadParams } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

describe('a chain whose nodes do not answer when the service starts', () => {
  let world: World
  let proxy: RpcProxy
  let service: Instance
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-down-'))
  /** Another network in the address file, with the contracts at the same addresses. */
  const OTHER = 8997

  function addressFile(factory?: string): string {
    const { development } = JSON.parse(readFileSync(world.local.addressFile, 'utf8')) as Record<string, object>
    const second = { ...development, chainId: OTHER, ...(factory ? { ERC721Factory: factory } : {}) }
    const path = join(folder, `${factory ?? 'address'}.json`)
    writeFileSync(path, JSON.stringify({ development, second }))
    return path
  }
  const networks = (second: string) =>
    JSON.stringify({ [world.network.chainId]: world.network.rpcUrl, [OTHER]: second })

  /** A node of the same chain under another chain id. */
  const otherChain = async () => {
    const node = await RpcProxy.before(world.network.rpcUrl)
    node.lie = (method, truth) => (method === 'eth_chainId' ? `0x${OTHER.toString(16)}` : truth)
    return node
  }

  beforeAll(async () => {
    world = await World.start()
    proxy = await otherChain()
    proxy.down = true
    service = await startInstance(
      world.beside({ NETWORK_URL: networks(proxy.url), ADDRESS_FILE: addressFile(), STATE_DIR: join(folder, 'state') }),
    )
  })
  afterAll(async () => {
    proxy.close()
    rmSync(folder, { recursive: true })
  })

  const ready = async () => (await ask(`${service.url}/ready`)).json.chains as { chainId: number; ready: boolean }[]
  const isReady = async (chainId: number) => (await ready()).find((chain) => chain.chainId === chainId)?.ready

  it('does not prevent the sale of assets on other chains', async () => {
    await eventually(async () => (await isReady(world.network.chainId)) === true)
    expect(await isReady(OTHER)).toBe(false)
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')))
    await eventually(async () => (await ask(`${service.url}/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const params = await downloadParams(asset, txId, buyer)
    expect((await ask(`${service.url}/api/services/download?${params}`)).text).toBe('tide')
  })

  it('is reported as not ready, with Retry-After', async () => {
    const did = `did:op:${'0'.repeat(64)}`
    const response = await fetch(
      `${service.url}/api/services/initialize?documentId=${did}&serviceId=a&consumerAddress=${world.network.providerAddress}`,
    )
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ code: 'CHAIN_NOT_READY' })
  })

  it('is served as soon as a node answers', async () => {
    proxy.down = false
    await eventually(async () => (await isReady(OTHER)) === true)
  })

  it('is not asked again for a factory that was found at the start', async () => {
    // the service of the other tests may still look for it through the first proxy
    const own = await otherChain()
    const changed = { NETWORK_URL: networks(own.url), ADDRESS_FILE: addressFile(), STATE_DIR: join(folder, 'seen') }
    const chains = await connectChains(loadSettings(world.beside(changed)))
    const watch = new FactoryWatch(chains, { error: () => undefined } as never)
    watch.start()
    // the proxy answers in the order in which it is asked
    for (const { nodes } of chains.values()) await nodes.ask((client) => client.getBlockNumber())
    watch.stop()
    own.close()
    expect(own.calls.filter((method) => method === 'eth_getCode')).toHaveLength(1)
  })

  it('is reported when it turns out to have no factory, which ends the start if it is known by then', async () => {
    const stray = '0x00000000000000000000000000000000000000AA'
    const environment = world.beside({
      ...{ NETWORK_URL: networks(proxy.url), ADDRESS_FILE: addressFile(stray), STATE_DIR: join(folder, 'stray') },
    })
    expect(await buildHere(environment)).toMatchObject({
      status: 2,
      stderr: `tidegate: ADDRESS_FILE: chain ${OTHER} has no contract at ${stray}, which should be the factory.\n`,
    })
    proxy.down = true
    const strayed = await startHere(environment)
    proxy.down = false
    await eventually(async () => {
      const { json } = await ask(`${strayed.url}/ready`)
      return (json.chains as { chainId: number; factory: boolean }[]).some(
        (one) => one.chainId === OTHER && !one.factory,
      )
    })
    expect((await ask(`${strayed.url}/ready`)).status).toBe(503)
    await strayed.end()
    expect(strayed.said.map(({ msg }) => msg).join()).toContain('chain has no contract at the factory address')
  })

  it('ends the start if a token of a fee has no contract, and starts if the node cannot be asked', async () => {
    const token = '0x00000000000000000000000000000000000000AA'
    const environment = world.beside({
      ...{ STATE_DIR: join(folder, 'token'), PROVIDER_FEE_AMOUNT: '1', PROVIDER_FEE_TOKEN: token },
      ...{ NETWORK_URL: networks(proxy.url), ADDRESS_FILE: addressFile() },
      PROVIDER_FEES: JSON.stringify([
        { flat: '1', chain: world.network.chainId, token: world.network.addresses.Ocean },
        { flat: '1', chain: OTHER, token: '0x00000000000000000000000000000000000000bb' },
      ]),
    })
    const { status, stderr } = await buildHere(environment)
    expect([status, stderr.trimEnd().split('\n').sort()]).toEqual([
      2,
      [
        `tidegate: PROVIDER_FEES: rule 2: chain ${OTHER} has no contract at 0x00000000000000000000000000000000000000bb, so nobody could pay the fee.`,
        `tidegate: PROVIDER_FEE_TOKEN: chain ${world.network.chainId} has no contract at ${token}, so nobody could pay the fee.`,
        `tidegate: PROVIDER_FEE_TOKEN: chain ${OTHER} has no contract at ${token}, so nobody could pay the fee.`,
      ],
    ])
    proxy.down = true
    const own = {
      PROVIDER_FEE_TOKEN: JSON.stringify({ [OTHER]: token, [world.network.chainId]: world.network.addresses.Ocean }),
    }
    const started = await startHere({ ...environment, ...own })
    proxy.down = false
    await started.end()
  })
})
