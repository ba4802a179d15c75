import { type Asking, createTidegate } from '@tidegate/client'
import { type Address, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { walletFor } from '../world.js'
import { Market, type Person } from './market.js'

let world: World
let market: Market
let file: { type: string; url: string; method: string }

beforeAll(async () => {
  world = await World.start()
  market = new Market(world)
  file = { type: 'url', url: world.storage.file('/tides.csv', Buffer.from('0:00,3.1\n')), method: 'GET' }
})
afterAll(() => world?.close())

const base = () => ({ files: [file], name: 'Tide tables', price: 'free' as const })

async function documentOf(did: string) {
  return (await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)).json as Record<string, never>
}

/** Waits until the index has an asset with these fields. */
function known(did: string, what: object): Promise<void> {
  return eventually(async () => {
    const document = await documentOf(did)
    return Object.entries(what).every(([field, value]) => {
      const found = field.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
      return JSON.stringify(found) === JSON.stringify(value)
    })
  })
}

describe('publish', () => {
  it("takes two transactions, and the document has the request's fields", async () => {
    const { tidegate, address } = await market.person()
    const steps: string[] = []
    const access = [address]
    const told = { description: 'By the hour', author: 'Harbour office', license: 'CC-BY-4.0', tags: ['tide', 'sea'] }
    const onStep = (step: string) => steps.push(step)
    const published = await tidegate.publish({ ...base(), ...told, access, timeout: 3600, serviceName: 'All', onStep })
    expect(published.transactions).toHaveLength(2)
    expect(await world.provider.getTransactionCount(address)).toBe(2)
    expect(steps).toEqual(['Check the files', 'Create data NFT, datatoken and price', 'Publish the metadata'])
    await served(world.network.providerUrl, published)
    expect(await documentOf(published.did)).toMatchObject({
      id: published.did,
      nftAddress: published.nft,
      metadata: { name: 'Tide tables', ...told },
      services: [{ id: 'access', name: 'All', datatokenAddress: published.datatoken, timeout: 3600 }],
      credentials: { allow: [{ type: 'address', values: access }] },
      nft: { owner: address, state: 0 },
    })
    // only the provider can read the location
    expect(JSON.stringify(await documentOf(published.did))).not.toContain('tides.csv')
  })

  it.each([
    ['OCEAN', () => ({ amount: '2.5' }), '2.5025'],
    ['USDC', () => ({ amount: '0.000001', token: world.network.addresses.MockUSDC }), '0.000001'],
    ['USDC, in full', () => ({ amount: '12.34', token: world.network.addresses.MockUSDC }), '12.36468'],
    ['DAI', () => ({ amount: '3', token: 'dai' }), '3.006'],
  ])('at a price in %s', async (symbol, price, total) => {
    const { did } = await (await market.person()).tidegate.publish({ ...base(), price: price() })
    await served(world.network.providerUrl, { did })
    const quote = await (await market.person()).tidegate.quote(did)
    expect(quote.price.total).toMatchObject([{ symbol: symbol.split(',')[0], amount: total }])
  })

  it('of an unavailable file costs nothing', async () => {
    const { tidegate, address } = await market.person()
    const gone = { ...file, url: `${world.storage.origin}/gone` }
    const refused = tidegate.publish({ ...base(), files: [file, gone] })
    const message = 'The provider cannot get file 2 of 2 (url): not found.'
    await expect(refused).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE', message })
    expect(await world.provider.getTransactionCount(address)).toBe(0)
  })

  it.each([
    ['no file', { files: [] }, 'files'],
    ['no name', { name: ' ' }, 'name'],
    ['nobody who may buy', { access: [] }, 'access'],
    ['no address who may buy', { access: ['0x12' as Address] }, 'access'],
    ['a timeout that is none', { timeout: -1 }, 'timeout'],
    ['a price of nothing', { price: { amount: '0.0' } }, 'price'],
    ['a price that is no number', { price: { amount: '1e3' } }, 'price'],
  ])('with %s costs nothing', async (_, wrong, field) => {
    const { tidegate, address } = await market.person()
    const message = expect.stringMatching(new RegExp(`^${field} `))
    await expect(tidegate.publish({ ...base(), ...wrong })).rejects.toMatchObject({ code: 'BAD_REQUEST', message })
    expect(await world.provider.getTransactionCount(address)).toBe(0)
  })

  it('at a price that the token cannot express costs nothing', async () => {
    const price = { amount: '0.0000001', token: world.network.addresses.MockUSDC }
    const refused = (await market.person()).tidegate.publish({ ...base(), price })
    const message = 'price has more than the 6 decimals that USDC can be paid in.'
    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', message })
  })

  it('of a document that the provider refuses costs nothing', async () => {
    const { tidegate, address } = await market.person()
    const refused = tidegate.publish({ ...base(), name: 5 as never })
    await expect(refused).rejects.toThrow()
    const long = tidegate.publish({ ...base(), serviceName: 'x', tags: [5 as never] })
    await expect(long).rejects.toThrow()
    expect(await world.provider.getTransactionCount(address)).toBe(0)
  })

  it('continues after its first transaction', async () => {
    const { tidegate, address } = await market.person()
    const { transactions } = await tidegate.publish(base())
    const resumed = await tidegate.publish({ ...base(), name: 'Again', resume: transactions[0] })
    expect(resumed.transactions).toEqual([transactions[0], expect.any(String)])
    expect(await world.provider.getTransactionCount(address)).toBe(3)
    await known(resumed.did, { 'metadata.name': 'Again' })
    const nothing = tidegate.publish({ ...base(), resume: transactions[1] })
    await expect(nothing).rejects.toMatchObject({ code: 'NOT_CREATED' })
  })
})

describe('a published asset', () => {
  let owner: Person
  let did: string
  beforeAll(async () => {
    owner = await market.person()
    did = (await owner.tidegate.publish({ ...base(), tags: ['old'] })).did
    await served(world.network.providerUrl, { did })
  })

  it('is changed by its owner, only in the given fields', async () => {
    const access = [owner.address]
    const { transactions } = await owner.tidegate.update(did, { description: 'New', tags: [], timeout: 60, access })
    expect(transactions).toHaveLength(1)
    await known(did, { 'metadata.description': 'New' })
    expect(await documentOf(did)).toMatchObject({
      metadata: { name: 'Tide tables', description: 'New', tags: [] },
      services: [{ timeout: 60 }],
      credentials: { allow: [{ values: access }] },
    })
    await owner.tidegate.update(did, { access: null })
    await eventually(async () => (await documentOf(did)).credentials === undefined)
  })

  it('gets other files, which are checked first', async () => {
    const url = world.storage.file('/new.csv', Buffer.from('1:00\n'))
    await expect(owner.tidegate.update(did, { files: [{ ...file, url: `${url}x` }] })).rejects.toMatchObject({
      code: 'FILE_UNAVAILABLE',
    })
    await owner.tidegate.update(did, { files: [{ ...file, url }] })
    const info = () =>
      ask(`${world.network.providerUrl}/api/services/fileinfo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ did, serviceId: 'access' }),
      })
    await eventually(async () => (await info()).text.includes('"contentLength":"5"'))
  })

  it('keeps its old files after the new ones, whose locations nobody learns', async () => {
    const { storage } = world
    const url = (name: string, bytes: string) => ({ ...file, url: storage.file(name, Buffer.from(bytes)) })
    const [first, second, third] = [url('/v1.csv', '1'), url('/v2.csv', '22'), url('/v3.csv', '333')]
    const asset = await owner.tidegate.publish({ ...base(), files: [{ ...first, name: 'tides.csv' }] })
    await served(world.network.providerUrl, asset)
    const buyer = await market.person()
    await buyer.tidegate.buy(asset.did)
    const textOf = async (at: number) => (await (await buyer.tidegate.download(asset.did, { file: at })).blob()).text()
    const sizes = async () => (await owner.tidegate.asset(asset.did)).services[0]?.files.map(({ size }) => size)
    const version = (object: typeof file) =>
      owner.tidegate.update(asset.did, { files: [{ ...object, name: 'tides.csv' }], keepOld: true })
    expect((await version(second)).transactions).toHaveLength(1)
    await eventually(async () => String(await sizes()) === '2,1')
    await version(third)
    await eventually(async () => String(await sizes()) === '3,2,1')
    // again, as after a lost answer: no file is doubled
    await version(third)
    await world.indexedTo(await world.provider.getBlockNumber())
    expect(await sizes()).toEqual([3, 2, 1])
    // the order of the first version opens all of them
    expect(await Promise.all([0, 1, 2].map(textOf))).toEqual(['333', '22', '1'])
    await owner.tidegate.update(asset.did, { files: [first] })
    await eventually(async () => String(await sizes()) === '1')
    await expect(owner.tidegate.update(asset.did, { keepOld: true })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('gets another price in its token, without a metadata transaction', async () => {
    const price = { amount: '2.5', token: world.network.addresses.MockUSDC }
    const sold = await owner.tidegate.publish({ ...base(), price })
    await served(world.network.providerUrl, sold)
    const { tidegate } = owner
    expect((await tidegate.update(sold.did, { price: { amount: '3.25' } })).transactions).toHaveLength(1)
    expect((await tidegate.update(sold.did, { price: { amount: '3.25' } })).transactions).toHaveLength(0)
    const quote = await (await market.person()).tidegate.quote(sold.did)
    expect(quote.price.datatoken).toMatchObject({ symbol: 'USDC', amount: '3.2565' })
    await expect(tidegate.update(sold.did, { price: { amount: '0.0000001' } })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('price has more than the 6 decimals'),
    })
  })

  it('becomes paid, changes its token, and becomes free, each in the fewest transactions', async () => {
    const { did, datatoken, publisher, priced } = await changing('free')
    const { Ocean, MockUSDC } = world.network.addresses
    await priced({ amount: '5' }, 2, { type: 'fixed', total: [{ symbol: 'OCEAN', amount: '5.005' }] })
    // the exchange mints already, which takes one transaction more
    await priced({ amount: '2', token: MockUSDC }, 3, { type: 'fixed', total: [{ symbol: 'USDC', amount: '2.004' }] })
    await priced({ amount: '3', token: Ocean }, 3, { type: 'fixed', total: [{ symbol: 'OCEAN', amount: '3.003' }] })
    await priced('free', 2, { type: 'free', total: [] })
    await priced({ amount: '3', token: Ocean }, 2, { type: 'fixed', total: [{ symbol: 'OCEAN', amount: '3.003' }] })
    expect(await publisher.tidegate.differences(did, { price: { amount: '4' } })).toEqual([
      { field: 'price', before: '3 OCEAN', after: '4 OCEAN' },
    ])
    // a buyer orders at the new price
    const buyer = await market.person()
    await market.give(Ocean, buyer, 10n ** 19n)
    expect((await buyer.tidegate.buy(did)).paid).toMatchObject([{ symbol: 'OCEAN', amount: '3.003' }])
    expect(await market.balance(datatoken, buyer)).toBe(0n)
  })

  it.each([1, 4] as const)('of template %i becomes free, and paid again', async (template) => {
    const { Ocean } = world.network.addresses
    const { priced } = await changing({ token: Ocean, rate: 10n ** 18n }, template)
    await priced('free', 2, { type: 'free', total: [] })
    await priced({ amount: '3' }, 3, { type: 'fixed', total: [{ symbol: 'OCEAN', amount: '3.003' }] })
  })

  it('completes a change of its price that failed between two transactions', async () => {
    const { did, datatoken, publisher, priced } = await changing({
      token: world.network.addresses.Ocean,
      rate: 10n ** 18n,
    })
    const { FixedPrice, MockUSDC } = world.network.addresses
    const terms = [
      [MockUSDC, publisher.address, publisher.address, zeroAddress],
      [6n, 18n, 10n ** 18n, 0n, 0n],
    ]
    // the first of three, at another rate
    await market.call(publisher.signer, datatoken, 'createFixedRate', [FixedPrice, ...terms])
    await priced({ amount: '2', token: MockUSDC }, 3, { type: 'fixed', total: [{ symbol: 'USDC', amount: '2.004' }] })
    const exchange = await market.exchangeOf({ datatoken }, world.network.addresses.Ocean)
    await market.call(publisher.signer, FixedPrice, 'toggleExchangeState', [exchange])
    const ambiguous = publisher.tidegate.update(did, { price: { amount: '1' } })
    await expect(ambiguous).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('name its token'),
    })
    await priced({ amount: '2', token: MockUSDC }, 1, { type: 'fixed', total: [{ symbol: 'USDC', amount: '2.004' }] })
  })

  it('completes a change that failed between its price and its document', async () => {
    const { did, publisher } = await changing('free')
    const wallet = walletFor(world, publisher.signer)
    let signed = 0
    const failing = createTidegate({
      url: world.network.providerUrl,
      publicClient: market.reader,
      wallet: {
        ...wallet,
        signTransaction: (transaction: never) => {
          if (++signed > 1) throw new Error('The device was unplugged.')
          return wallet.signTransaction(transaction)
        },
      } as typeof wallet,
    })
    const changes = { name: 'Completed', price: { amount: '5' }, state: 'unlisted' as const }
    const failed = failing.update(did, changes)
    await expect(failed).rejects.toMatchObject({ transactions: [expect.stringMatching(/^0x/)] })
    const { changed, transactions } = await publisher.tidegate.update(did, changes)
    expect(changed).toEqual(['name', 'price', 'state'])
    // the end of the free access, and the document with its state
    expect(transactions).toHaveLength(2)
    await known(did, { 'metadata.name': 'Completed', 'nft.state': 5 })
    expect((await publisher.tidegate.asset(did)).services[0]?.price).toMatchObject({ total: [{ amount: '5.005' }] })
  })

  it('is hidden from searches and shown again, alone or with a change of its document', async () => {
    const { tidegate, address } = owner
    const unlisted = await tidegate.publish({ ...base(), name: 'Hidden tides', unlisted: true })
    await served(world.network.providerUrl, unlisted)
    const names = async (options: object) =>
      (await tidegate.search(options)).assets.map(({ name, state }) => [name, state])
    expect(await names({ text: 'Hidden tides' })).toEqual([])
    expect(await names({ owner: address, text: 'Hidden' })).toEqual([['Hidden tides', 'unlisted']])
    // bought by its DID all the same
    await (await market.person()).tidegate.buy(unlisted.did)
    expect((await tidegate.update(unlisted.did, { state: 'active', license: 'CC0-1.0' })).transactions).toHaveLength(1)
    await known(unlisted.did, { 'nft.state': 0, 'metadata.license': 'CC0-1.0' })
    expect(await names({ text: 'Hidden tides' })).toEqual([['Hidden tides', 'active']])
    expect((await tidegate.update(unlisted.did, { state: 'unlisted' })).changed).toEqual(['state'])
    await known(unlisted.did, { 'nft.state': 5 })
  })

  it('is not changed by the same fields, and sends nothing', async () => {
    const { did, publisher } = await changing('free')
    const same = {
      tags: ['tide'],
      access: [publisher.address],
      timeout: 60,
      serviceName: 'All',
      price: 'free' as const,
    }
    const { changed } = await publisher.tidegate.update(did, same)
    expect(changed).toEqual(['tags', 'serviceName', 'timeout', 'access'])
    await known(did, { 'metadata.tags': ['tide'] })
    const before = await market.sent(publisher)
    const again = { ...same, access: [publisher.address.toLowerCase() as Address], state: 'active' as const }
    expect(await publisher.tidegate.differences(did, again)).toEqual([])
    expect(await publisher.tidegate.update(did, again)).toEqual({ did, changed: [], transactions: [] })
    expect(await market.sent(publisher)).toBe(before)
    expect(await publisher.tidegate.differences(did, { tags: ['sea'] })).toEqual([
      { field: 'tags', before: ['tide'], after: ['sea'] },
    ])
  })

  /** An asset, and a change of its price that must take a number of transactions and lead to a price. */
  async function changing(price: Parameters<Market['sale']>[0]['price'], template: 1 | 2 | 4 = 2) {
    const sale = await market.sale({ price, template })
    const priced = async (wanted: Asking, count: number, expected: object) => {
      const { transactions } = await sale.publisher.tidegate.update(sale.did, { price: wanted })
      expect(transactions).toHaveLength(count)
      expect(await sale.publisher.tidegate.update(sale.did, { price: wanted })).toMatchObject({ transactions: [] })
      const { services } = await (await market.person()).tidegate.asset(sale.did)
      expect(services[0]?.price).toMatchObject(expected)
    }
    return { ...sale, priced }
  }

  it('of version 5 gets another price, without a metadata transaction', async () => {
    const asCredential = (document: Record<string, unknown>) => {
      const { nftAddress, chainId, metadata, services } = document
      for (const field of Object.keys(document)) delete document[field]
      Object.assign(document, {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id: didOf(nftAddress as Address, chainId as number, 5),
        version: '5.0.0',
        type: ['VerifiableCredential'],
        issuer: 'did:web:x',
        credentialSubject: { chainId, nftAddress, metadata, services, credentials: [] },
      })
    }
    const price = { token: world.network.addresses.Ocean, rate: 5n * 10n ** 18n }
    const { did: five, publisher } = await market.sale({ price, adjust: asCredential })
    expect(five).toMatch(/^did:ope:/)
    const before = await market.sent(publisher)
    for (const changes of [{ name: 'New' }, { price: { amount: '6' }, tags: ['new'] }, { access: null }])
      await expect(publisher.tidegate.update(five, changes)).rejects.toMatchObject({
        code: 'UNSUPPORTED_DOCUMENT',
        transactions: [],
      })
    expect(await market.sent(publisher)).toBe(before)
    const { transactions } = await publisher.tidegate.update(five, { price: { amount: '6' } })
    expect(transactions).toHaveLength(1)
    expect((await publisher.tidegate.asset(five)).services[0]?.price).toMatchObject({ total: [{ amount: '6.006' }] })
  })

  it('is revoked and restored; the same state takes no transaction', async () => {
    expect((await owner.tidegate.setState(did, 'revoked')).transactions).toHaveLength(1)
    expect((await owner.tidegate.setState(did, 'revoked')).transactions).toHaveLength(0)
    await known(did, { 'nft.state': 3 })
    await owner.tidegate.setState(did, 'active')
    await known(did, { 'nft.state': 0 })
  })

  it('cannot be changed by others, who pay nothing for the attempt', async () => {
    const other = await market.person()
    const refused = { code: 'NOT_PERMITTED', message: expect.stringContaining(owner.address), transactions: [] }
    await expect(other.tidegate.update(did, { name: 'Mine' })).rejects.toMatchObject(refused)
    await expect(other.tidegate.setState(did, 'revoked')).rejects.toMatchObject(refused)
    expect(await market.sent(other)).toBe(0)
  })
})
