import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'

describe('health', () => {
  let world: World
  let proxy: RpcProxy
  beforeAll(async () => {
    world = await World.start({ READY_MAX_LAG: '3' }, async (rpcUrl) => {
      proxy = await RpcProxy.before(rpcUrl)
      return [proxy.url]
    })
  })
  const get = (path: string) => ask(world.network.providerUrl + path)
  const chain = async () => ((await get('/ready')).json.chains as Record<string, unknown>[])[0]

  it('is live, and ready when the index is at the head', async () => {
    expect((await get('/live')).json).toEqual({ live: true })
    await eventually(async () => (await get('/ready')).status === 200 && (await chain())?.clock !== null)
    const head = await world.provider.getBlockNumber()
    expect((await get('/ready')).json).toEqual({
      ready: true,
      store: true,
      lastWrite: expect.any(Number),
      diskLeft: expect.any(Number),
      caller: '127.0.0.1',
      chains: [
        {
          ...{ chainId: world.network.chainId, block: head, head, age: expect.any(Number), lag: 0, ready: true },
          ...{ astray: false, rereading: null, paused: false, quotes: true, nodes: [true], factory: true, clock: 0 },
        },
      ],
    })
  })

  it('reports when the node of a chain stops answering, and the age of its head', async () => {
    proxy.down = true
    await eventually(async () => ((await chain())?.nodes as boolean[])[0] === false)
    const { age } = (await chain()) as { age: number }
    await eventually(async () => Number((await chain())?.age) > age)
    proxy.down = false
    await eventually(async () => ((await chain())?.nodes as boolean[])[0] === true)
  })

  it('is not ready while the index is behind, and reports its lag', async () => {
    // the node gives its head, and no other new block, so that the index falls behind
    const known = await world.provider.getBlockNumber()
    await world.indexedTo(known)
    // mined in sequence: the head alone proves a next block that is empty
    proxy.lagsAt = known
    await world.rpc('anvil_mine', ['0xa'])
    proxy.refuse = (method, [block]) =>
      method === 'eth_getLogs' || (method === 'eth_getBlockByNumber' && Number(block) > known)
        ? { code: -32000, message: 'not now' }
        : undefined
    proxy.lagsAt = undefined
    await eventually(async () => (await get('/ready')).status === 503)
    expect(await chain()).toMatchObject({ lag: 10, ready: false })
    expect((await get('/live')).status).toBe(200)
    proxy.refuse = () => undefined
    await eventually(async () => (await get('/ready')).status === 200)
    await eventually(async () => (await chain())?.lag === 0)
    expect(await chain()).toMatchObject({ lag: 0, ready: true })
  })

  it.each([
    ['::1', '::1'],
    ['::', '::'],
    ['0.0.0.0', '0.0.0.0'],
    [
      'an address of the network',
      Object.values(networkInterfaces())
        .flat()
        .find((one) => one?.internal === false)?.address,
    ],
  ])('is asked by the command at the settings of a service that listens on %s', async (_, host = '127.0.0.1') => {
    const folder = newFolder()
    const service = await startHere({ ...world.beside(), STATE_DIR: join(folder, 'state'), HOST: host })
    const { port } = new URL(service.url)
    const file = join(folder, 'settings')
    writeFileSync(file, `HOST=${host}\nPORT=${port}\n`)
    const byFile = ['health', '--config', file]
    const health = async (args: string[], environment = {}) => (await runHere(args, environment)).status
    expect(await health(byFile)).toBe(0)
    expect(await health(['health'], { HOST: host, PORT: port })).toBe(0)
    expect(await health(['health', '--port', port], { HOST: host })).toBe(0)
    // the environment wins
    expect(await health(byFile, { PORT: '1' })).toBe(1)
    if (host !== '0.0.0.0' && host !== '::')
      expect(await health(['health', '--port', port], { HOST: '127.0.0.3' })).toBe(1)
    await service.end()
    expect(await health(byFile)).toBe(1)
  })

  it('stays ready while the reindex command rebuilds the index', async () => {
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')))
    const { settings, store } = world.local.app.context
    const env = {
      NETWORK_URL: proxy.url,
      PROVIDER_PRIVATE_KEY: world.network.accounts[8]?.privateKey as string,
      STATE_DIR: settings.STATE_DIR,
    }
    expect(await runHere(['reindex', '--chain', '1'], env)).toMatchObject({
      status: 2,
      stderr: 'tidegate: --chain: chain 1 is not in the index: it has chain 8996.\n',
    })
    await store.nonces.consume(asset.nft as `0x${string}`, '5')
    const before = (await store.index.generations(8996)).live?.id
    const reindex = [...program(), 'reindex']
    expect(spawnSync(process.execPath, reindex, { env: { ...process.env, ...env }, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^chain 8996: rebuilding from the first block; the current index \(to block \d+\) stays in use/,
      ),
    })
    await eventually(async () => {
      // the index answers throughout the rebuild
      expect(await store.index.asset(asset.did)).toBeDefined()
      return (await store.index.generations(8996)).live?.id !== before
    })
    expect(await store.index.asset(asset.did)).toBeDefined()
    expect(await store.nonces.last(asset.nft as `0x${string}`)).toBe('5')
  })
})
