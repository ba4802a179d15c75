import { type Asking, createTidegate } from '@tidegate/client'
import { type Address, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { served } from '../../../../test/helpers/requests.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { walletFor } from '../world.js'
import { type Market, market, useMarket, world } from './market.js'

useMarket()

describe('a published asset', () => {
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

  it('gets another price in its token, without a metadata transaction', async () => {
    const price = { amount: '2.5', token: world.network.addresses.MockUSDC }
    const owner = await market.person()
    const sold = await owner.tidegate.publish({ ...market.request, price })
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
    await market.known(did, { 'metadata.name': 'Completed', 'nft.state': 5 })
    expect((await publisher.tidegate.asset(did)).services[0]?.price).toMatchObject({ total: [{ amount: '5.005' }] })
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
})
