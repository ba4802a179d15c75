import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliArguments } from '../../demo/local-dev.js'
import { eventually } from '../helpers/eventually.js'
import { ask } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { World } from '../helpers/world.js'

describe('health', () => {
  let world: World
  let proxy: RpcProxy
  beforeAll(async () => {
    world = await World.start({ READY_MAX_LAG: '3', RPC_TIMEOUT: '500' }, async (rpcUrl) => {
      proxy = await RpcProxy.before(rpcUrl)
      return [proxy.url]
    })
  })
  afterAll(async () => {
    await world.close()
    proxy.close()
  })
  const get = (path: string) => ask(world.network.providerUrl + path)
  const chain = async () => ((await get('/ready')).json.chains as Record<string, unknown>[])[0]

  it('lives, and is ready when the index is at the head', async () => {
    expect((await get('/live')).json).toEqual({ live: true })
    await eventually(async () => (await get('/ready')).status === 200)
    const head = await world.provider.getBlockNumber()
    expect((await get('/ready')).json).toEqual({
      ready: true,
      store: true,
      chains: [
        {
          ...{ chainId: world.network.chainId, block: head, head, age: expect.any(Number), lag: 0, ready: true },
          ...{ astray: false, rereading: null },
        },
      ],
    })
  })

  it('is not ready while the index is behind, and tells how far', async () => {
    // the node gives no logs now, so that the index cannot follow
    proxy.refuse = (method) => (method === 'eth_getLogs' ? { code: -32000, message: 'not now' } : undefined)
    await world.rpc('anvil_mine', ['0xa'])
    await eventually(async () => (await get('/ready')).status === 503)
    expect(await chain()).toMatchObject({ lag: 10, ready: false })
    expect((await get('/live')).status).toBe(200)
    proxy.refuse = () => undefined
    await eventually(async () => (await get('/ready')).status === 200)
    expect(await chain()).toMatchObject({ lag: 0, ready: true })
  })

  it('reads the chain again when told so by the command, under the running service', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    const { settings, store } = world.local.app.context
    const env = {
      ...process.env,
      NETWORK_URL: proxy.url,
      PROVIDER_PRIVATE_KEY: world.network.accounts[8]?.privateKey,
      STATE_DIR: settings.STATE_DIR,
    }
    const run = (...args: string[]) =>
      spawnSync(process.execPath, cliArguments('reindex', ...args), { env, encoding: 'utf8' })
    expect(run('--chain', 'x')).toMatchObject({ status: 2, stderr: expect.stringContaining('--chain') })
    expect(run('--chain', '1').stdout).toBe('chain 1: is read again from its start; there is nothing yet\n')
    await store.nonces.consume(asset.nft as `0x${string}`, '5')
    const before = (await store.index.readings(8996)).live?.id
    expect(run()).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^chain 8996: is read again from its start; what there is up to block \d+ stays in use/,
      ),
    })
    await eventually(async () => {
      // it answers all the time
      expect(await store.index.asset(asset.did)).toBeDefined()
      return (await store.index.readings(8996)).live?.id !== before
    })
    expect(await store.index.asset(asset.did)).toBeDefined()
    expect(await store.nonces.last(asset.nft as `0x${string}`)).toBe('5')
  })
})
