import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { served } from '../../../../test/helpers/requests.js'
import { market, useMarket, world } from './market.js'

useMarket()

describe('publish', () => {
  it("takes two transactions, and the document has the request's fields", async () => {
    const { tidegate, address } = await market.person()
    const steps: string[] = []
    const access = [address]
    const told = { description: 'By the hour', author: 'Harbour office', license: 'CC-BY-4.0', tags: ['tide', 'sea'] }
    const onStep = (step: string) => steps.push(step)
    const published = await tidegate.publish({
      ...market.request,
      ...told,
      access,
      timeout: 3600,
      serviceName: 'All',
      onStep,
    })
    expect(published.transactions).toHaveLength(2)
    expect(await world.provider.getTransactionCount(address)).toBe(2)
    expect(steps).toEqual(['Check the files', 'Create data NFT, datatoken and price', 'Publish the metadata'])
    await served(world.network.providerUrl, published)
    expect(await market.documentOf(published.did)).toMatchObject({
      id: published.did,
      nftAddress: published.nft,
      metadata: { name: 'Tide tables', ...told },
      services: [{ id: 'access', name: 'All', datatokenAddress: published.datatoken, timeout: 3600 }],
      credentials: { allow: [{ type: 'address', values: access }] },
      nft: { owner: address, state: 0 },
    })
    // only the provider can read the location
    expect(JSON.stringify(await market.documentOf(published.did))).not.toContain('tides.csv')
  })

  it.each([
    ['OCEAN', () => ({ amount: '2.5' }), '2.5025'],
    ['USDC', () => ({ amount: '0.000001', token: world.network.addresses.MockUSDC }), '0.000001'],
    ['USDC, in full', () => ({ amount: '12.34', token: world.network.addresses.MockUSDC }), '12.36468'],
    ['DAI', () => ({ amount: '3', token: 'dai' }), '3.006'],
  ])('at a price in %s', async (symbol, price, total) => {
    const { did } = await (await market.person()).tidegate.publish({ ...market.request, price: price() })
    await served(world.network.providerUrl, { did })
    const quote = await (await market.person()).tidegate.quote(did)
    expect(quote.price.total).toMatchObject([{ symbol: symbol.split(',')[0], amount: total }])
  })

  it('of an unavailable file costs nothing', async () => {
    const { tidegate, address } = await market.person()
    const gone = { ...market.file, url: `${world.storage.origin}/gone` }
    const refused = tidegate.publish({ ...market.request, files: [market.file, gone] })
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
    await expect(tidegate.publish({ ...market.request, ...wrong })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message,
    })
    expect(await world.provider.getTransactionCount(address)).toBe(0)
  })

  it('at a price that the token cannot express costs nothing', async () => {
    const price = { amount: '0.0000001', token: world.network.addresses.MockUSDC }
    const refused = (await market.person()).tidegate.publish({ ...market.request, price })
    const message = 'price has more than the 6 decimals that USDC can be paid in.'
    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', message })
  })

  it('of a document that the provider refuses costs nothing', async () => {
    const { tidegate, address } = await market.person()
    const refused = tidegate.publish({ ...market.request, name: 5 as never })
    await expect(refused).rejects.toThrow()
    const long = tidegate.publish({ ...market.request, serviceName: 'x', tags: [5 as never] })
    await expect(long).rejects.toThrow()
    expect(await world.provider.getTransactionCount(address)).toBe(0)
  })

  it('continues after its first transaction', async () => {
    const { tidegate, address } = await market.person()
    const { transactions } = await tidegate.publish(market.request)
    const resumed = await tidegate.publish({ ...market.request, name: 'Again', resume: transactions[0] })
    expect(resumed.transactions).toEqual([transactions[0], expect.any(String)])
    expect(await world.provider.getTransactionCount(address)).toBe(3)
    await market.known(resumed.did, { 'metadata.name': 'Again' })
    const nothing = tidegate.publish({ ...market.request, resume: transactions[1] })
    await expect(nothing).rejects.toMatchObject({ code: 'NOT_CREATED' })
  })
})
