import type { Signer, Wallet } from 'ethers'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, downloadParams } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { CHAIN_LIMITS } from '../../../chain/src/limits.js'

const REFUSED = { code: -32000, message: 'not now' }

/** Refuses the event logs that the index reads, and answers everything else. */
const stuck = (method: string, params: unknown[]) =>
  method === 'eth_getLogs' && !isOfOne(params) ? REFUSED : undefined
const isOfOne = ([filter]: unknown[]) =>
  /^0x\w{40}$/.test(String((filter as { address?: unknown }).address)) && 'fromBlock' in (filter as object)

describe('an index that is behind', () => {
  let world: World
  let proxy: RpcProxy
  let publisher: Wallet
  beforeAll(async () => {
    // twice the time-out is the deadline for reading one asset from the chain
    const settings = { READY_MAX_LAG: '3', READY_MAX_AGE: '5000', RPC_TIMEOUT: '3000', METRICS_PORT: '0' }
    ;({ world, proxy } = await World.behindProxy(settings))
    publisher = await world.somebody()
  })
  afterEach(async () => {
    proxy.refuse = () => undefined
    proxy.delay = 0
    proxy.down = false
    await eventually(async () => (await get('/ready')).status === 200)
  })

  const get = (path: string) => ask(world.network.providerUrl + path)
  const chain = async () => ((await get('/ready')).json.chains as Record<string, unknown>[])[0]
  const publish = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('tide')), { publisher })
  const initialize = async ({ did, ddo }: Published): Promise<Answer> => {
    const { address } = await world.somebody()
    const asked = { documentId: did, serviceId: ddo.services[0]?.id as string, consumerAddress: address }
    return get(`/api/services/initialize?${new URLSearchParams(asked)}`)
  }
  const download = async (asset: Published, txId: string, signer: Signer) =>
    get(`/api/services/download?${await downloadParams(asset, txId, signer)}`)
  const nft = () => new ocean.Nft(publisher, world.network.chainId)
  const metric = async (name: string) => {
    const { text } = await ask(`${world.local.app.metricsUrl}/metrics`)
    return Number(new RegExp(`^${name}{[^}]*} (\\S+)$`, 'm').exec(text)?.[1])
  }

  it('does not serve an asset that was revoked since; others are served (threat 46)', async () => {
    const [revoked, kept] = [await publish(), await publish()]
    const buyer = await world.somebody()
    const orders = [await world.order(revoked, buyer), await world.order(kept, buyer)] as const
    expect((await download(revoked, orders[0], buyer)).status).toBe(200)
    proxy.refuse = stuck
    await mined(nft().setMetadataState(revoked.nft, publisher.address, 3))
    await world.rpc('anvil_mine', ['0xa'])
    await eventually(async () => (await get('/ready')).status === 503)
    expect(await chain()).toMatchObject({ lag: expect.any(Number), ready: false })
    expect(await metric('tidegate_index_current')).toBe(0)

    expect((await initialize(revoked)).json).toMatchObject({ code: 'ASSET_NOT_CONSUMABLE' })
    expect((await download(revoked, orders[0], buyer)).json).toMatchObject({ code: 'ASSET_NOT_CONSUMABLE' })
    expect((await get(`/api/aquarius/assets/ddo/${revoked.did}`)).json).toMatchObject({ nft: { state: 3 } })
    expect(await initialize(kept)).toMatchObject({ status: 200 })
    expect(await download(kept, orders[1], buyer)).toMatchObject({ status: 200, text: 'tide' })
    // all of it was read from the chain: the index still knows nothing of it
    const { index } = world.local.app.context.store
    expect((await index.asset(revoked.did))?.metadata.state).toBe(0)
  })

  it('does not serve a document that was updated since (threat 46)', async () => {
    const asset = await publish()
    proxy.refuse = stuck
    const changed = { ...asset.ddo, metadata: { ...asset.ddo.metadata, name: 'Ebb' } }
    const { chainId, providerUrl } = world.network
    const encrypted = await ocean.ProviderInstance.encrypt(changed, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(changed))}`
    const txId = await mined(nft().setMetadata(asset.nft, publisher.address, 5, '', '', '0x02', encrypted, hash))
    await world.rpc('anvil_mine', ['0xa'])
    await eventually(async () => (await get('/ready')).status === 503)
    await eventually(async () => (await get(`/api/aquarius/assets/ddo/${asset.did}`)).json.nft !== undefined)
    expect((await get(`/api/aquarius/assets/ddo/${asset.did}`)).json).toMatchObject({
      metadata: { name: 'Ebb' },
      nft: { state: 5 },
      event: { txid: txId },
    })
    expect((await initialize(asset)).status).toBe(200)
  })

  it('finds the newest document when the node limits the block range (threat 46)', async () => {
    const asset = await publish()
    proxy.refuse = (method, params) => {
      if (method !== 'eth_getLogs') return undefined
      if (!isOfOne(params)) return REFUSED
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      return Number(toBlock) - Number(fromBlock) >= 4
        ? { code: -32602, message: 'block range greater than 4 max' }
        : undefined
    }
    await mined(nft().setMetadata(asset.nft, publisher.address, 0, '', '', '0x00', '0x7b', `0x${'00'.repeat(32)}`))
    await world.rpc('anvil_mine', ['0x14'])
    await eventually(async () => (await get('/ready')).status === 503)
    // the newest document cannot be read, so there is nothing to serve
    await eventually(async () => (await initialize(asset)).json.code === 'DID_NOT_RESOLVED')
  })

  it('answers in time when the node is slow and returns one block at a time', async () => {
    const asset = await publish()
    let reads = 0
    proxy.refuse = (method, params) => {
      const [{ fromBlock, toBlock } = {}] = params as { fromBlock?: string; toBlock?: string }[]
      if (method === 'eth_getLogs' && isOfOne(params)) reads += 1
      return stuck(method, params) ?? (method === 'eth_getLogs' && fromBlock !== toBlock ? REFUSED : undefined)
    }
    await world.rpc('anvil_mine', ['0x400'])
    await eventually(async () => (await get('/ready')).status === 503)
    // reading block by block would take as many requests as are allowed, in sequence
    proxy.delay = 200
    reads = 0
    for (const answer of await Promise.all([initialize(asset), initialize(asset)]))
      expect(answer).toMatchObject({ status: 502, json: { code: 'CHAIN_UNAVAILABLE' } })
    expect(reads).toBeLessThan(CHAIN_LIMITS.chain.newest)
  })

  it('is not used once no node answers; /ready and the metrics report its age (threat 68)', async () => {
    const asset = await publish()
    expect(await initialize(asset)).toMatchObject({ status: 200 })
    await eventually(async () => (await metric('tidegate_index_current')) === 1)
    proxy.down = true
    await eventually(async () => (await get('/ready')).status === 503)
    const { age, lag, ready } = (await chain()) as { age: number; lag: number; ready: boolean }
    expect({ lag, ready }).toEqual({ lag: 0, ready: false })
    expect(age).toBeGreaterThan(5000)
    expect(await metric('tidegate_index_head_age_seconds')).toBeGreaterThan(5)
    expect(await metric('tidegate_index_current')).toBe(0)
    expect((await get('/live')).status).toBe(200)
    await eventually(async () => (await initialize(asset)).status === 502)
    expect((await initialize(asset)).json).toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    proxy.down = false
    await eventually(async () => (await get('/ready')).status === 200)
    await eventually(async () => (await initialize(asset)).status === 200)
  })
})
