import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Wallet } from 'ethers'
import { describe, expect, it } from 'vitest'
import { DEV_CHAIN_ID } from '../../packages/dev-network/src/anvil.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { createApp } from '../../packages/provider/src/app.js'
import { loadSettings } from '../../packages/provider/src/config/load.js'
import { type ChainWithContracts, chainWithContracts } from '../helpers/chain.js'
import { mined } from '../helpers/consume.js'
import { deployed } from '../helpers/contracts.js'
import { eventually } from '../helpers/eventually.js'
import { publishMany } from '../helpers/many-assets.js'
import { ocean } from '../helpers/ocean.js'
import type { Published } from '../helpers/publish.js'
import { ask, downloadParams, served } from '../helpers/requests.js'
import { RpcProxy } from '../helpers/rpc-proxy.js'
import { World } from '../helpers/world.js'

const CONTENT = 'hour,height\n'
const OTHER_CHAIN = 8997

async function download(base: string, asset: Published, txId: string, buyer: Wallet) {
  return ask(`${base}/api/services/download?${await downloadParams(asset, txId, buyer)}`)
}

describe('chain requests of a download', () => {
  it('are at most 3 calls in 2 round trips for each order without a cache, and none with it, also for a reuse', async () => {
    const world = await World.start()
    const proxy = await RpcProxy.before(world.network.rpcUrl)
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from(CONTENT)))
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    const datatoken = new ocean.Datatoken(buyer, world.network.chainId)
    const fee = await world.quote(asset, buyer.address)
    const reuse = await mined(datatoken.reuseOrder(asset.datatoken, txId, fee))
    // a separate instance, whose index polls the chain once and then not for an hour
    const app = await createApp(
      loadSettings(
        world.beside({
          NETWORK_URL: JSON.stringify({ [world.network.chainId]: proxy.url }),
          STATE_DIR: folder,
          INDEX_POLL_INTERVAL: '3600000',
        }),
      ),
    )
    // without looks of the clock
    const cost = () => [proxy.calls.length - proxy.looks.calls, proxy.posts - proxy.looks.posts]
    try {
      const base = await app.listen()
      await served(base, asset)
      for (const id of [reuse, txId]) {
        proxy.forget()
        expect((await download(base, asset, id, buyer)).text).toBe(CONTENT)
        // the original order is cached then
        expect(cost()).toEqual(id === reuse ? [6, 4] : [0, 0])
        proxy.forget()
        for (let again = 0; again < 3; again++) expect((await download(base, asset, id, buyer)).status).toBe(200)
        expect(cost()).toEqual([0, 0])
      }
      const other = await world.order(asset, buyer)
      proxy.forget()
      expect((await download(base, asset, other, buyer)).status).toBe(200)
      expect(cost()).toEqual([3, 2])
      // its block, since the chain may have replaced the one of the receipt
      const methods = ['eth_blockNumber', 'eth_getBlockByNumber', 'eth_getTransactionReceipt']
      expect([...new Set(proxy.calls)].sort()).toEqual(methods)
    } finally {
      await app.close()
      proxy.close()
      await world.close()
      rmSync(folder, { recursive: true })
    }
  })

  it('are not cached for too long: orders of revoked assets and reorganised ones are refused', async () => {
    const world = await World.start({ ORDER_WAIT: '0' })
    try {
      const publisher = await world.somebody()
      const buyer = await world.somebody()
      const { providerUrl: base, chainId } = world.network
      const url = world.storage.file('/a.csv', Buffer.from(CONTENT))
      const asset = await world.publishUrl(url, { publisher })
      const kept = await world.order(asset, buyer)
      expect((await download(base, asset, kept, buyer)).status).toBe(200)
      await world.indexed(
        await mined(new ocean.Nft(publisher, chainId).setMetadataState(asset.nft, publisher.address, 3)),
      )
      expect((await download(base, asset, kept, buyer)).json).toMatchObject({ code: 'ASSET_NOT_CONSUMABLE' })

      const second = await world.publishUrl(url, { publisher })
      await world.rpc('anvil_mine', ['0x5'])
      const dropped = await world.order(second, buyer)
      expect((await download(base, second, dropped, buyer)).status).toBe(200)
      await world.indexed(dropped)
      await world.reorganise(3)
      await eventually(async () => (await download(base, second, dropped, buyer)).json.code === 'ORDER_NOT_FOUND')
    } finally {
      await world.close()
    }
  })

  it('let 200 of 200 downloads succeed with one node lagging, one dead and one that answers 429 at times', async () => {
    const proxies: RpcProxy[] = []
    // where the machine is busy, the only node that knows an order may rest for longer than most wait for it
    const world = await World.start({ ORDER_WAIT: '60000' }, async (rpcUrl) => {
      for (let at = 0; at < 3; at++) proxies.push(await RpcProxy.before(rpcUrl))
      return proxies.map(({ url }) => url)
    })
    try {
      const [lagging, dead, busy] = proxies as [RpcProxy, RpcProxy, RpcProxy]
      lagging.lagsAt = await world.provider.getBlockNumber()
      dead.down = true
      busy.refuseEvery = 7
      const asset = await world.publishUrl(world.storage.file('/a.csv', Buffer.from(CONTENT)))
      const results = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const buyer = await world.somebody()
          const texts: string[] = []
          for (let order = 0; order < 4; order++) {
            const txId = await world.order(asset, buyer)
            for (let at = 0; at < 5; at++)
              texts.push((await download(world.network.providerUrl, asset, txId, buyer)).text)
          }
          return texts
        }),
      )
      expect(results.flat()).toHaveLength(200)
      expect(results.flat().filter((text) => text !== CONTENT)).toEqual([])
      expect(proxies.every(({ posts }) => posts > 0)).toBe(true)
    } finally {
      await world.close()
      for (const proxy of proxies) proxy.close()
    }
  })

  it('of one chain are not affected when the nodes of another chain are down', async () => {
    const chains = await Promise.all([chainWithContracts(), chainWithContracts(OTHER_CHAIN)])
    const proxies = await Promise.all(chains.map(({ rpcUrl }) => RpcProxy.before(rpcUrl)))
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const entries = { development: chains[0].addresses, other: chains[1].addresses }
    writeFileSync(join(folder, 'address.json'), JSON.stringify(entries))
    const key = `0x${'11'.repeat(32)}`
    const app = await createApp(
      loadSettings({
        NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: proxies[0]?.url, [OTHER_CHAIN]: proxies[1]?.url }),
        ADDRESS_FILE: join(folder, 'address.json'),
        PROVIDER_PRIVATE_KEY: key,
        STATE_DIR: folder,
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'silent',
        INDEX_POLL_INTERVAL: '50',
      }),
    )
    const publish = async (at: number, chainId: number) => {
      const { rpcUrl, addresses } = chains[at] as ChainWithContracts
      const { ERC721Factory: factory } = addresses
      const { publicKey } = providerKey(key)
      const batch = await deployed(rpcUrl, 'Batch')
      return (await publishMany(rpcUrl, { factory, batch, publicKey, count: 3, chainId })).map((nft) =>
        didOf(nft, chainId),
      )
    }
    const indexed = (dids: string[]) =>
      eventually(async () => (await Promise.all(dids.map((did) => app.context.store.index.asset(did)))).every(Boolean))
    try {
      const base = await app.listen()
      await indexed([...(await publish(0, DEV_CHAIN_ID)), ...(await publish(1, OTHER_CHAIN))])
      await eventually(async () => (await ask(`${base}/ready`)).status === 200)
      expect((await ask(`${base}/ready`)).json.chains).toMatchObject([
        { chainId: DEV_CHAIN_ID },
        { chainId: OTHER_CHAIN },
      ])
      const other = proxies[1] as RpcProxy
      other.down = true
      await indexed(await publish(0, DEV_CHAIN_ID))
      const late = await publish(1, OTHER_CHAIN)
      other.down = false
      await indexed(late)
    } finally {
      await app.close()
      for (const proxy of proxies) proxy.close()
      await Promise.all(chains.map(({ anvil }) => anvil.stop()))
      rmSync(folder, { recursive: true })
    }
  })
})
