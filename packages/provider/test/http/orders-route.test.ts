import { ethers, type Wallet } from 'ethers'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, indexed } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import type { FoundOrder } from '../../../catalog/src/search/orders/order-fields.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

describe('searches of orders, end to end', () => {
  let world: World
  let asset: Published
  let buyer: Wallet
  beforeAll(async () => {
    world = await World.start()
    asset = await world.publishUrl(world.storage.file('/tides.csv', Buffer.from('tides')))
    buyer = await world.somebody()
  })
  afterAll(() => world.close())

  const post = (body: unknown) =>
    ask(`${world.network.providerUrl}/api/aquarius/assets/metadata/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const mine = (more: object = {}) => ({
    index: 'order',
    query: { term: { 'consumer.keyword': buyer.address.toLowerCase() } },
    ...more,
  })
  async function found(): Promise<FoundOrder[]> {
    const { status, json, text } = await post(mine())
    expect(status, text).toBe(200)
    return (json as unknown as FoundOrder[][])[0] ?? []
  }

  it('finds an order and its reuse, until a reorganisation drops them (threat 33)', async () => {
    expect((await post(mine())).text).toBe('[]')
    const started = await world.order(asset, buyer)
    await world.indexed(started)
    const quote = await world.quote(asset, buyer.address)
    const contract = new ocean.Datatoken(buyer, world.network.chainId)
    const reused = await mined(contract.reuseOrder(asset.datatoken, started, quote))
    await world.indexed(reused)
    const common = { consumer: buyer.address, payer: buyer.address, datatokenAddress: asset.datatoken }
    const ofAsset = { ...common, nftAddress: asset.nft, did: asset.did, serviceIndex: 0, chainId: 8996 }
    const time = expect.any(Number)
    expect(await found()).toEqual([
      { ...ofAsset, orderId: reused, type: 'reuseOrder', startOrderId: started, timestamp: time },
      { ...ofAsset, orderId: started, type: 'startOrder', timestamp: time },
    ])
    const { blockNumber } = await world.provider.getTransactionReceipt(reused)
    const head = Number(await world.rpc('eth_blockNumber'))
    await world.reorganise(head - blockNumber + 1)
    // 502 while the index still contains dropped blocks
    await eventually(async () => {
      const { status, json } = await post(mine())
      return status === 200 && (json as unknown as FoundOrder[][])[0]?.length === 1
    })
    expect((await found()).map(({ orderId }) => orderId)).toEqual([started])
  })

  it('finds none for the undefined address of a market without a wallet', async () => {
    const filter = [{ term: {} }, { term: { 'did.keyword': 'did:op:1' } }]
    expect((await post({ index: 'order', query: { bool: { filter } } })).text).toBe('[]')
  })

  it('refuses what would read all orders, or is not understood, with the name of the field (threat 104)', async () => {
    const address = buyer.address
    const named = { term: { consumer: address } }
    for (const [query, reason] of [
      [undefined, 'must name a consumer'],
      [{ match_all: {} }, 'must name a consumer'],
      [{ term: { type: 'startOrder' } }, 'must name a consumer'],
      [{ bool: { must_not: [named] } }, 'must name a consumer'],
      [{ bool: { should: [named, { term: { type: 'startOrder' } }] } }, 'must name a consumer'],
      [{ bool: { filter: [named], must: [{ match: { consumer: address } }] } }, 'by term, terms'],
      [{ fuzzy: {} }, 'fuzzy'],
      [{ terms: { consumer: Array.from({ length: 3000 }, (_, at) => `a${at}`) } }, '2048'],
    ] as const) {
      const { status, json } = await post({ index: 'order', query })
      const reasons = JSON.stringify(json.errors)
      expect([status, reasons], reason).toEqual([400, expect.stringContaining(reason)])
    }
    for (const page of [{ from: -1 }, { size: 'all' }, { from: 100_000 }, { aggregate: {} }, { sort: 7 }])
      expect((await post(mine(page))).status, JSON.stringify(page)).toBe(400)
    for (const text of ["' OR 1=1 --", '\u0000', '\ud800', '?', '$1', 'x'.repeat(4000)]) {
      const fields = ['consumer', 'did', 'nftAddress', 'orderId', 'datatokenAddress']
      for (const field of fields)
        expect((await post({ index: 'order', query: { term: { [field]: text } } })).text, field).toBe('[]')
    }
  })

  it('finds and serves the assets of authorized publishers alone (threat 103)', async () => {
    const [named, stranger] = [await world.somebody(), await world.somebody()]
    const own = await world.publishUrl(world.storage.file('/own.csv', Buffer.from('own')), { publisher: named })
    // another owner of the NFT does not make it an asset of that owner
    const forged = await publishFor(stranger, named.address)
    const app = await createApp(loadSettings(world.beside({ AUTHORIZED_PUBLISHERS: JSON.stringify([named.address]) })))
    try {
      const origin = await app.listen()
      await indexed(origin)
      const base = `${origin}/api/aquarius/assets`
      const search = async (body: object, path = 'metadata/query') => {
        const headers = { 'content-type': 'application/json' }
        return (await ask(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json
      }
      const listed = (await search({})) as unknown as { id: string }[]
      expect(listed.map(({ id }) => id)).toEqual([own.did])
      expect(await search({ didList: [own.did, forged, asset.did] }, 'names')).toEqual({ [own.did]: 'Tide tables' })
      for (const did of [forged, asset.did])
        for (const path of ['ddo', 'metadata']) expect((await ask(`${base}/${path}/${did}`)).status).toBe(404)
      // without the setting all of them are found
      expect((await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${forged}`)).status).toBe(200)
    } finally {
      await app.close()
    }
  })

  /** Publishes an asset whose data NFT has another owner. Returns its DID. */
  async function publishFor(publisher: Wallet, owner: string): Promise<string> {
    const { chainId, addresses } = world.network
    const factory = new ethers.Contract(
      addresses.ERC721Factory,
      [
        'function deployERC721Contract(string name, string symbol, uint256 templateIndex, address additionalERC20Deployer, address additionalMetaDataUpdater, string tokenURI, bool transferable, address owner)',
        'event NFTCreated(address newTokenAddress, address indexed templateAddress, string tokenName, address indexed admin, string symbol, string tokenURI, bool transferable, address indexed creator)',
      ],
      publisher,
    )
    const own = publisher.address
    const sent = await factory.deployERC721Contract?.('n', 's', 1, own, own, '', true, owner)
    const { events } = await sent.wait()
    const nft = events.find(({ event }: { event?: string }) => event === 'NFTCreated').args.newTokenAddress as Address
    const ddo = { ...asset.ddo, id: didOf(nft, chainId), nftAddress: nft }
    const data = `0x${Buffer.from(JSON.stringify(ddo)).toString('hex')}`
    const hash = `0x${ocean.getHash(JSON.stringify(ddo))}`
    const contract = new ocean.Nft(publisher, chainId)
    await world.indexed(await mined(contract.setMetadata(nft, own, 0, '', '', '0x00', data, hash)))
    return ddo.id
  }

  it('lists names of assets, and leaves out unknown ones', async () => {
    const names = (didList: unknown) =>
      ask(`${world.network.providerUrl}/api/aquarius/assets/names`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ didList }),
      })
    expect((await names([asset.did, 'did:op:1', '__proto__'])).json).toEqual({ [asset.did]: 'Tide tables' })
    expect((await names([])).json).toEqual({})
    for (const wrong of [undefined, 'did', [1], [null], Array.from({ length: 1001 }, () => 'a')])
      expect(await names(wrong)).toMatchObject({ status: 400, json: { errors: { didList: [expect.any(String)] } } })
  })
})
