import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
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

  it('gets another price in its token, without a metadata transaction', async () => {
    const price = { amount: '2.5', token: world.network.addresses.MockUSDC }
    const sold = await owner.tidegate.publish({ ...base(), price })
    await served(world.network.providerUrl, sold)
    const { tidegate } = owner
    expect((await tidegate.update(sold.did, { price: { amount: '3.25' } })).transactions).toHaveLength(1)
    expect((await tidegate.update(sold.did, { price: { amount: '3.25' } })).transactions).toHaveLength(0)
    const quote = await (await market.person()).tidegate.quote(sold.did)
    expect(quote.price.datatoken).toMatchObject({ symbol: 'USDC', amount: '3.2565' })
    for (const [asset, amount, reason] of [
      [sold.did, '0.0000001', 'price has more than the 6 decimals'],
      [did, '1', 'price cannot be changed: the asset is sold at no price'],
    ] as const)
      await expect(tidegate.update(asset, { price: { amount } })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
        message: expect.stringContaining(reason),
      })
  })

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
