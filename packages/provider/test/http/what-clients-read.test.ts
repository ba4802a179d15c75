import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'

/** Responses that published clients compare, or read field by field. */
describe('what clients read', () => {
  let world: World
  let asset: Published
  let url: string
  beforeAll(async () => {
    world = await World.start()
    url = world.storage.file('/a.csv', Buffer.from('tide'))
    asset = await world.publishUrl(url)
  })
  const get = (path: string) => ask(`${world.network.providerUrl}/api/aquarius/assets/${path}`)

  it('the error for an unknown DID, whose text ocean.py checks before it publishes', async () => {
    const did = didOf(`0x${'12'.repeat(20)}`, world.network.chainId)
    const error = `Asset DID ${did} not found in Elasticsearch.`
    expect(await get(`ddo/${did}`)).toMatchObject({ status: 404, json: { error, code: 'ASSET_NOT_FOUND' } })
    expect(await get(`metadata/${did}`)).toMatchObject({
      status: 404,
      json: { error: expect.stringMatching(/^Error encountered while retrieving metadata: /), code: 'ASSET_NOT_FOUND' },
    })
  })

  it('the metadata of an asset alone', async () => {
    expect(await get(`metadata/${asset.did}`)).toMatchObject({ status: 200, json: asset.ddo.metadata })
  })

  it('indexedMetadata in documents of version 4, with orders and offers by service', async () => {
    const buyer = await world.somebody()
    await world.indexed(await world.order(asset, buyer))
    const { json } = await get(`ddo/${asset.did}`)
    expect(json.indexedMetadata).toMatchObject({
      nft: { address: asset.nft, state: 0 },
      event: { txid: asset.txId, tx: asset.txId },
      purgatory: { state: false },
      stats: [
        {
          datatokenAddress: asset.datatoken,
          serviceId: 'tide-access',
          orders: 1,
          prices: [{ type: 'dispenser', price: '0', contract: expect.stringMatching(/^0x/) }],
        },
      ],
    })
    expect(json.stats).toMatchObject({ orders: 1 })
    const sold = await world.publishUrl(url, { pricing: { fixed: '5' } })
    const { indexedMetadata } = (await get(`ddo/${sold.did}`)).json as { indexedMetadata: object }
    const price = { type: 'fixedrate', price: '5', token: world.network.addresses.Ocean, exchangeId: sold.exchangeId }
    expect(indexedMetadata).toMatchObject({ stats: [{ orders: 0, prices: [price] }] })
  })

  it('current prices of exchanges and dispensers, in documents and in searches that sort by them', async () => {
    const { addresses, chainId, providerUrl } = world.network
    const publisher = await world.somebody()
    const sold = await world.publishUrl(url, { publisher, pricing: { fixed: '5' } })
    const cheaper = await world.publishUrl(url, { publisher, pricing: { fixed: '3' } })
    const given = await world.publishUrl(url, { publisher })
    const exchange = new ocean.FixedRateExchange(addresses.FixedPrice, publisher, chainId)
    const dispenser = new ocean.Dispenser(addresses.Dispenser, publisher, chainId)
    const statsOf = async ({ did }: Published) => {
      const { json } = await get(`ddo/${did}`)
      const [{ prices } = {}] = (json.indexedMetadata as { stats: { prices?: { price: string }[] }[] }).stats
      return [prices?.map(({ price }) => price), (json.stats as { price: object }).price]
    }
    const found = async (order: string): Promise<unknown> => {
      const query = { terms: { _id: [sold, cheaper, given].map(({ did }) => did) } }
      const body = { query, sort: { 'indexedMetadata.stats.prices.price': order } }
      const { json } = await askJson(`${providerUrl}/api/aquarius/assets/metadata/query`, body)
      return (json as unknown as { id: string }[]).map(({ id }) => id)
    }
    const id = sold.exchangeId as string
    expect(await statsOf(sold)).toEqual([
      ['5'],
      { value: 5, tokenAddress: addresses.Ocean, tokenSymbol: expect.stringMatching(/./) },
    ])
    expect(await found('asc')).toEqual([given.did, cheaper.did, sold.did])
    await world.indexed(await mined(exchange.setRate(id, '2.5')))
    expect(await statsOf(sold)).toMatchObject([['2.5'], { value: 2.5 }])
    expect(await found('asc')).toEqual([given.did, sold.did, cheaper.did])
    expect(await found('desc')).toEqual([cheaper.did, sold.did, given.did])
    await world.indexed(await mined(exchange.deactivate(id)))
    await world.indexed(await mined(dispenser.deactivate(given.datatoken)))
    for (const asset of [sold, given]) expect(await statsOf(asset)).toEqual([[], {}])
    await world.indexed(await mined(exchange.activate(id)))
    await world.indexed(await mined(dispenser.activate(given.datatoken, '1', '1')))
    expect(await statsOf(sold)).toMatchObject([['2.5'], { value: 2.5 }])
    expect(await statsOf(given)).toEqual([['0'], { value: 0 }])
  })

  it('fresh index fields in a served document that is published again as an update', async () => {
    const publisher = await world.somebody()
    const { nft, did } = await world.publishUrl(url, { publisher })
    const served = (await get(`ddo/${did}`)).json as Record<string, Record<string, unknown>>
    const forged = { state: 0, owner: `0x${'11'.repeat(20)}` }
    const services = [
      ...(served.services as unknown as object[]),
      { ...(served.services as unknown as object[])[0], id: 'second' },
    ]
    const update = {
      ...served,
      services,
      nft: forged,
      indexedMetadata: { nft: forged, extra: 1 },
      stats: { orders: 99 },
    }
    const { chainId, providerUrl } = world.network
    const encrypted = await ocean.ProviderInstance.encrypt(update, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(update))}`
    const contract = new ocean.Nft(publisher, chainId)
    await world.indexed(await mined(contract.setMetadata(nft, publisher.address, 0, '', '', '0x02', encrypted, hash)))
    const { json } = await get(`ddo/${did}`)
    expect(json).toMatchObject({ nft: { address: nft, owner: publisher.address }, stats: { orders: 0 } })
    expect(json.indexedMetadata).toMatchObject({ nft: { owner: publisher.address } })
    expect(json.indexedMetadata).not.toHaveProperty('extra')
    // one entry for each service, in the same order, even if services share a datatoken
    expect((json.datatokens as { serviceId: string }[]).map(({ serviceId }) => serviceId)).toEqual([
      'tide-access',
      'second',
    ])
  })

  it('the datatokens of the services only, not one that no service sells', async () => {
    const publisher = await world.somebody()
    const { nft, did, datatoken } = await world.publishUrl(url, { publisher })
    const contract = new ocean.Nft(publisher, world.network.chainId)
    const { address } = publisher
    const none = `0x${'0'.repeat(40)}`
    await contract.createDatatoken(nft, address, address, address, none, none, '0', '10', 'Unsold', 'NO', 1)
    await world.indexedTo(await world.provider.getBlockNumber())
    const { datatokens, indexedMetadata } = (await get(`ddo/${did}`)).json as {
      datatokens: object[]
      indexedMetadata: { stats: object[] }
    }
    expect(datatokens).toMatchObject([{ address: datatoken, serviceId: 'tide-access' }])
    expect(indexedMetadata.stats).toMatchObject([{ datatokenAddress: datatoken, serviceId: 'tide-access' }])
  })

  it('text/plain without a charset from encrypt, which ocean.py compares', async () => {
    const { providerUrl, chainId } = world.network
    const answer = await fetch(`${providerUrl}/api/services/encrypt?chainId=${chainId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'tide',
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'text/plain'])
    expect(await answer.text()).toMatch(/^0x04[0-9a-f]+$/)
  })

  it.each([1, '1', true, 'true'])('a checksum, requested with %j', async (checksum) => {
    const { json } = await askJson(`${world.network.providerUrl}/api/services/fileinfo`, {
      type: 'url',
      url,
      method: 'GET',
      checksum,
    })
    expect(json).toMatchObject([{ valid: true, checksumType: 'sha256' }])
  })

  it('a contract file that names no chain, from the chain of its asset', async () => {
    const abi = {
      type: 'function',
      name: 'decimals',
      inputs: [],
      outputs: [{ name: '', type: 'uint8' }],
      stateMutability: 'view',
    }
    const files = [{ type: 'smartcontract', address: world.network.addresses.MockUSDC, abi }]
    const contract = await world.publish({ files })
    const buyer = await world.somebody()
    const params = await downloadParams(contract, await world.order(contract, buyer), buyer)
    const { status, text } = await ask(`${world.network.providerUrl}/api/services/download?${params}`)
    expect([status, text]).toEqual([200, '6'])
  })
})
