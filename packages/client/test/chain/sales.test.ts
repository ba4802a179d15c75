import { readFileSync } from 'node:fs'
import { type Paid, type Receipt, type Sale, salesTotals } from '@tidegate/client'
import { ethers } from 'ethers'
import type { Address, Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { prepared } from '../../../../test/helpers/prepared.js'
import { World } from '../../../../test/helpers/world.js'
import { devAccounts } from '../../../dev-network/src/anvil.js'
import { BUYING } from '../../src/chain/abi.js'
import { Market, type OnSale, type Person, type Sale as Terms, TOKEN } from './market.js'

const ONE = 10n ** 18n
const CENT = 10n ** 16n
const HOUR = 3600
const ENVIRONMENT = { id: 'gpu', consumerAddress: `0x${'12'.repeat(20)}`, pricePerMinute: '7' }
/** The publisher whose assets have a provider fee, in USDC. */
const FEE_PUBLISHER = devAccounts()[5] as { address: string; privateKey: string }

let world: World
let market: Market
let tokens: { Ocean: Address; DAI: Address; USDC: Address }

beforeAll(async () => {
  const file = prepared('chain', 'address.json') as string
  const { MockUSDC } = JSON.parse(readFileSync(file, 'utf8')).development
  const rule = { name: 'usdc', publisher: FEE_PUBLISHER.address, token: MockUSDC, flat: '200003' }
  world = await World.start({
    PROVIDER_FEES: JSON.stringify([rule]),
    COMPUTE_ENVIRONMENTS: JSON.stringify([ENVIRONMENT]),
  })
  market = new Market(world)
  const { addresses } = world.network
  tokens = { Ocean: addresses.Ocean, DAI: addresses.MockDAI, USDC: addresses.MockUSDC }
  await market.asFirst(addresses.Router, 'updateOPCFee', [CENT / 10n, 2n * CENT, CENT, CENT])
})
afterAll(() => world?.close())
afterEach(() => vi.useRealTimers())

async function rich(): Promise<Person> {
  const buyer = await market.person()
  await market.give(tokens.Ocean, buyer, 1_000n * ONE)
  await market.give(tokens.DAI, buyer, 1_000n * ONE)
  await market.give(tokens.USDC, buyer, 1_000_000_000n)
  return buyer
}

const withFee = () => new ethers.Wallet(FEE_PUBLISHER.privateKey, world.provider)
const inOcean = () => ({ token: tokens.Ocean, rate: 5n * ONE + 7n, marketFee: CENT })
const feeInDai = () => ({ token: tokens.DAI, amount: 1_234_567n })

async function all<T>(generator: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of generator) found.push(one)
  return found
}

async function listed(person: Person, options: object, count = 1): Promise<Sale[]> {
  let found: Sale[] = []
  await eventually(async () => {
    found = await all(person.tidegate.sales(options))
    return found.length >= count
  })
  expect(found).toHaveLength(count)
  return found
}

const balance = (block: bigint, token: Address, address: Address) =>
  market.reader.readContract({
    address: token,
    abi: TOKEN,
    functionName: 'balanceOf',
    args: [address],
    blockNumber: block,
  })

/** Compares the payments of a transaction with the balances before and after its block, to the last unit. */
async function assertBalances(tx: Hex, payer: Address, { payments, total }: Paid): Promise<void> {
  const { blockNumber } = await market.reader.getTransactionReceipt({ hash: tx })
  const change = async (token: Address, of: Address) =>
    (await balance(blockNumber, token, of)) - (await balance(blockNumber - 1n, token, of))
  for (const token of Object.values(tokens)) {
    const units = total.find((one) => one.token === token)?.units ?? 0n
    expect(await change(token, payer)).toBe(-units)
    // the exchange keeps amounts without a receiver
    const held = payments.map((one) => ({ ...one, receiver: one.receiver ?? world.network.addresses.FixedPrice }))
    for (const of of new Set(held.map(({ receiver }) => receiver))) {
      const own = held.filter(({ amount, receiver }) => amount.token === token && receiver === of)
      expect(await change(token, of as Address)).toBe(own.reduce((sum, { amount }) => sum + amount.units, 0n))
    }
  }
}

const named = ({ payments }: Paid) => payments.map(({ to, amount }) => [to, amount.symbol, amount.units])

describe('the payments of an order', () => {
  const cases: [string, () => Terms, boolean][] = [
    ['template 2, with all fees', () => ({ price: inOcean(), publishFee: feeInDai(), publisher: withFee() }), true],
    ['template 4', () => ({ price: inOcean(), template: 4, publisher: withFee() }), true],
    ['template 2, without fees', () => ({ price: { token: tokens.USDC, decimals: 6, rate: ONE } }), false],
    ['template 2, in DAI', () => ({ price: { token: tokens.DAI, rate: ONE / 7n } }), true],
  ]
  it.each(cases)('%s: are those of the balances', async (_, terms, hasMarket) => {
    const [sale, buyer, front] = [await market.sale(terms()), await rich(), await market.person()]
    const options = hasMarket ? { market: { address: front.address, share: CENT / 3n } } : {}
    const { order, paid } = await buyer.tidegate.buy(sale.did, options)
    const [sold] = (await listed(sale.publisher, { did: sale.did })) as [Sale]
    expect(sold).toMatchObject({ tx: order, name: 'Tides', service: 'access', source: 'exchange' })
    expect(sold.total).toEqual(expect.arrayContaining(paid))
    expect(sold.total).toHaveLength(paid.length)
    await assertBalances(order, buyer.address, sold)
  })

  it('of template 2 name publisher, markets, protocol and provider', async () => {
    const sale = await market.sale({ price: inOcean(), publishFee: feeInDai(), publisher: withFee() })
    const [buyer, front] = [await rich(), await market.person()]
    await buyer.tidegate.buy(sale.did, { market: { address: front.address, share: CENT } })
    const [sold] = (await listed(sale.publisher, { did: sale.did })) as [Sale]
    const price = 5n * ONE + 7n
    expect(named(sold)).toEqual([
      ['publisher', 'OCEAN', price],
      ['market', 'OCEAN', price / 100n],
      ['consumeMarket', 'OCEAN', price / 100n],
      ['protocol', 'OCEAN', price / 1000n],
      ['market', 'DAI', 1_234_567n],
      expect.arrayContaining(['USDC']),
      expect.arrayContaining(['USDC']),
    ])
    const inUsdc = named(sold).filter(([, symbol]) => symbol === 'USDC')
    expect(inUsdc).toEqual(
      expect.arrayContaining([
        ['provider', 'USDC', 198_003n],
        ['protocol', 'USDC', 2_000n],
      ]),
    )
    expect(sold.payments.find(({ to }) => to === 'consumeMarket')?.receiver).toBe(front.address)
  })

  it('of a dispenser are nothing', async () => {
    for (const template of [1, 2] as const) {
      const sale = await market.sale({ price: 'free', template })
      const { order } = await (await market.person()).tidegate.buy(sale.did)
      const [sold] = await listed(sale.publisher, { did: sale.did })
      // template 1 gets its datatoken in an earlier transaction
      expect(sold).toMatchObject({ tx: order, source: template === 1 ? 'held' : 'dispenser', payments: [], total: [] })
    }
  })

  it('of template 1 are its fees, as the datatoken was bought earlier', async () => {
    const sale = await market.sale({ price: inOcean(), template: 1, publishFee: feeInDai(), publisher: withFee() })
    const buyer = await rich()
    const { order } = await buyer.tidegate.buy(sale.did)
    const [sold] = (await listed(sale.publisher, { did: sale.did })) as [Sale]
    expect(sold).toMatchObject({ source: 'held', total: [{ symbol: 'DAI' }, { symbol: 'USDC', units: 200_003n }] })
    await assertBalances(order, buyer.address, sold)
  })

  it('have the fee that a consuming market adds to the order', async () => {
    const sale = await market.sale({ price: 'free', template: 1 })
    const [buyer, front] = [await rich(), await market.person()]
    const { Dispenser } = world.network.addresses
    await market.call(buyer.signer, Dispenser, 'dispense', [sale.datatoken, ONE, buyer.address], BUYING)
    await market.call(buyer.signer, tokens.DAI, 'approve', [sale.datatoken, 77n], TOKEN)
    const { providerFee } = await buyer.tidegate.quote(sale.did)
    const fee = {
      consumeMarketFeeAddress: front.address,
      consumeMarketFeeToken: tokens.DAI,
      consumeMarketFeeAmount: 77n,
    }
    const args = [buyer.address, 0n, providerFee, fee]
    const { transactionHash } = await market.call(buyer.signer, sale.datatoken, 'startOrder', args, BUYING)
    const [sold] = (await listed(sale.publisher, { did: sale.did })) as [Sale]
    expect(sold).toMatchObject({ tx: transactionHash, source: 'held' })
    expect(named(sold)).toEqual([['consumeMarket', 'DAI', 77n]])
    await assertBalances(sold.tx, buyer.address, sold)
  })

  it('of a renewal are the new provider fee', async () => {
    const adjust = (document: Record<string, never>) => {
      for (const service of document.services as unknown as { type: string }[]) service.type = 'compute'
    }
    const price = { token: tokens.Ocean, rate: ONE }
    const sale = await market.sale({ price, timeout: 30 * HOUR, adjust })
    const buyer = await rich()
    const asked = () => ({ environment: ENVIRONMENT.id, validUntil: Math.floor(Date.now() / 1000) + HOUR })
    const first = await buyer.tidegate.buy(sale.did, asked())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR * 1000, shouldAdvanceTime: true })
    const { order } = await buyer.tidegate.buy(sale.did, asked())
    vi.useRealTimers()
    const sold = await listed(sale.publisher, { did: sale.did }, 2)
    expect(sold[0]).toMatchObject({ tx: order, renews: first.order, source: 'renewal', total: [{ units: 420n }] })
    for (const one of sold) await assertBalances(one.tx, buyer.address, one)
    expect(salesTotals(sold)).toMatchObject([{ orders: 1, renewals: 1, income: [{ units: ONE }], name: 'Tides' }])
    const receipt = await buyer.tidegate.receipt(order)
    const started = await buyer.tidegate.receipt(first.order)
    expect(receipt).toMatchObject({ renews: first.order, expires: started.expires, service: 'access' })
  })
})

describe('sales and orders of an account', () => {
  let publisher: Person
  let buyer: Person
  let sold: OnSale[]
  beforeAll(async () => {
    publisher = await market.person()
    buyer = await rich()
    const terms = { price: { token: tokens.DAI, rate: 5n * ONE }, publisher: publisher.signer, timeout: HOUR }
    sold = [await market.sale(terms), await market.sale({ ...terms, price: 'free' })]
    for (const { did } of sold) await buyer.tidegate.buy(did)
    await publisher.tidegate.setState((sold[1] as OnSale).did, 'revoked')
  })

  it('list every order, also those of revoked assets', async () => {
    const onProgress = vi.fn()
    const [second, first] = await listed(publisher, { onProgress }, 2)
    expect(second).toMatchObject({ did: sold[1]?.did, source: 'dispenser', consumer: buyer.address })
    expect(first).toMatchObject({ did: sold[0]?.did, total: [{ symbol: 'DAI' }] })
    expect(onProgress).toHaveBeenLastCalledWith(2)
    const { time } = first as Sale
    const later = new Date(time.getTime() + HOUR * 1000)
    expect(await all(publisher.tidegate.sales({ since: later }))).toEqual([])
    expect(await all(publisher.tidegate.sales({ until: time }))).toEqual([])
    expect(await all(publisher.tidegate.sales({ until: later, since: time }))).toHaveLength(2)
    expect(await all(buyer.tidegate.sales())).toEqual([])
  })

  it('follow again after an outage, from the last look on', async () => {
    const { did } = sold[0] as OnSale
    const { fetch } = globalThis
    let isDown = false
    const failed = vi.fn(() => expect(isDown).toBe(true))
    const isLook = (init?: RequestInit) => String(init?.body).includes('"index":"order"')
    const replaced = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation((input, init) =>
        isDown && isLook(init) ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init),
      )
    const ending = new AbortController()
    const seen: Hex[] = []
    const following = (async () => {
      const options = { did, interval: 20, onFailure: failed, signal: ending.signal }
      for await (const { tx } of publisher.tidegate.followSales(options)) seen.push(tx)
    })().catch(() => undefined)
    try {
      const first = await (await rich()).tidegate.buy(did)
      await eventually(() => seen.includes(first.order))
      isDown = true
      await eventually(() => failed.mock.calls.length > 0)
      const { order } = await (await rich()).tidegate.buy(did)
      await world.indexed(order)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR * 1000, shouldAdvanceTime: true })
      isDown = false
      await eventually(() => seen.includes(order))
      expect(seen.filter((tx) => tx === first.order)).toHaveLength(1)
    } finally {
      ending.abort()
      await following
      replaced.mockRestore()
    }
  })

  it('orders have names and payments', async () => {
    const [order] = await buyer.tidegate.orders(undefined, { payments: true })
    expect(order).toMatchObject({
      name: 'Tides',
      paid: { source: 'exchange', total: [{ units: 5_100_000_000_000_000_000n }] },
    })
    expect((await buyer.tidegate.orders())[0]?.paid).toBeUndefined()
  })

  describe('the receipt', () => {
    const orderOf = async () => (await buyer.tidegate.orders())[0]?.tx as Hex

    it('is for the buyer and the publisher', async () => {
      const receipt: Receipt = await buyer.tidegate.receipt(await orderOf())
      expect(receipt).toMatchObject({
        did: sold[0]?.did,
        name: 'Tides',
        service: 'access',
        consumer: buyer.address,
        publisher: publisher.address,
        chainId: world.network.chainId,
        provider: world.network.providerUrl,
      })
      expect(receipt.expires?.getTime()).toBe(receipt.time.getTime() + HOUR * 1000)
      expect(await publisher.tidegate.receipt(receipt.tx)).toEqual(receipt)
    })

    it('of somebody else, of no order and of another network is refused with one line', async () => {
      const [order, other] = [await orderOf(), await market.person()]
      await expect(other.tidegate.receipt(order)).rejects.toMatchObject({
        code: 'NOT_YOUR_ORDER',
        message: `order: ${order} belongs to ${buyer.address}, not to ${other.address}.`,
      })
      const unknown: Hex = `0x${'ab'.repeat(32)}`
      await expect(buyer.tidegate.receipt(unknown)).rejects.toMatchObject({
        code: 'UNKNOWN_TRANSACTION',
        message: expect.stringMatching(/^order: chain 8996 has no transaction 0xabab/),
      })
      const { transactionHash } = await market.call(buyer.signer, tokens.DAI, 'approve', [other.address, 1n], TOKEN)
      await expect(buyer.tidegate.receipt(transactionHash)).rejects.toMatchObject({ code: 'UNKNOWN_ORDER' })
      await expect(buyer.tidegate.receipt(order, { chainId: 5 })).rejects.toMatchObject({
        code: 'UNKNOWN_CHAIN',
        message: 'chainId: the provider does not serve chain 5. It serves 8996.',
      })
    })
  })
})
