import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientEnvironment, type Draft, GENERATIONS, type Generation } from '../../../../test/clients/generations.js'
import { quietly } from '../../../../test/helpers/consume.js'
import { served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { Market } from './market.js'

/** The released generations of `@oceanprotocol/lib` buy assets of this library, and the other way round. */
describe('with @oceanprotocol/lib', () => {
  let world: World
  let market: Market
  let url: string
  const CONTENT = 'hour,height\n00:00,3.1\n'
  const ONE = 10n ** 18n

  beforeAll(async () => {
    world = await World.start()
    market = new Market(world)
    url = world.network.providerUrl
    for (const [name, value] of Object.entries(clientEnvironment(world.local.addressFile, url))) vi.stubEnv(name, value)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await world.close()
  })

  async function downloaded(
    { client, downloadFile }: Generation,
    did: string,
    service: string,
    order: string,
    signer: unknown,
  ) {
    const link = await quietly(() => client.getDownloadUrl(did, service, 0, order, url, signer))
    return Buffer.from((await downloadFile(link)).data).toString()
  }

  describe.each(GENERATIONS)('$name', (generation) => {
    it.each(['free', { amount: '2.5' }] as const)('orders and downloads assets of this library: %j', async (price) => {
      const { tidegate } = await market.person()
      const file = { type: 'url', url: world.storage.file('/a.csv', Buffer.from(CONTENT)), method: 'GET' }
      const { did } = await tidegate.publish({ files: [file], name: 'Tides', price })
      const asset = await generation.aquarius(url).waitForIndexer(did, undefined, undefined, 20, 400)

      const buyer = await market.person()
      await market.give(world.network.addresses.Ocean, buyer, 10n * ONE)
      const signer = generation.signer(buyer.signer)
      const order = await generation.order(asset, signer, url)
      expect(await downloaded(generation, did, 'access', order, signer)).toBe(CONTENT)
      // this library uses the order, too
      expect(await buyer.tidegate.buy(did)).toMatchObject({ order, reused: true })
    })

    it.each([
      ['free, template 1', { price: '0' }, 2, '0'],
      ['free, plain', { price: '0', encrypted: false }, 2, '0'],
      ['at a price, template 1', { price: '2.5' }, 3, '2.5025'],
      ['at a price, template 2', { price: '2.5', template: 2 }, 2, '2.5025'],
    ] as [
      string,
      Partial<Draft>,
      number,
      string,
    ][])('publishes assets that this library buys: %s', async (name, draft, sent, total) => {
      const file = world.storage.file('/b.csv', Buffer.from(CONTENT))
      const publisher = await world.somebody()
      const signed = generation.signer(publisher)
      const did = await quietly(() => generation.createAsset({ name, url: file, ...draft }, signed, url))
      await served(url, { did })
      // its helper for template 1 lets the exchange sell only to the publisher
      const alone = total !== '0' && draft.template !== 2
      if (alone) expect((await (await market.person()).tidegate.quote(did)).price.type).toBe('unavailable')
      const buyer = await market.person(alone ? publisher : undefined)
      const before = await market.sent(buyer)
      await market.give(world.network.addresses.Ocean, buyer, 10n * ONE)
      const quote = await buyer.tidegate.quote(did)
      expect(quote.price.total.map(({ amount }) => amount)).toEqual(total === '0' ? [] : [total])
      const { order, transactions } = await buyer.tidegate.buy(quote)
      expect(transactions).toHaveLength(sent)
      expect(await market.sent(buyer)).toBe(before + sent)
      const signer = generation.signer(buyer.signer)
      expect(await downloaded(generation, did, 'tide-access', order, signer)).toBe(CONTENT)
    })
  })
})
