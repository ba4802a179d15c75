import { createTidegate } from '@tidegate/client'
import { createPublicClient, http } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { World } from '../../../../test/helpers/world.js'
import { walletFor } from '../world.js'
import { Market, type Person } from './market.js'

const HOUR = 3600
const ENVIRONMENT = { id: 'gpu', consumerAddress: `0x${'12'.repeat(20)}`, pricePerMinute: '7' }

let world: World
let market: Market

beforeAll(async () => {
  world = await World.start({ COMPUTE_ENVIRONMENTS: JSON.stringify([ENVIRONMENT]) })
  market = new Market(world)
})
afterAll(() => world?.close())
afterEach(() => vi.useRealTimers())

/** Moves the clock of this process, and so of the service in it, forward. */
function later(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000, shouldAdvanceTime: true })
}

/** Returns the same person with a node that limits the blocks of logs. */
async function behind({ signer }: Person, maxRange: number) {
  const proxy = await RpcProxy.before(world.network.rpcUrl)
  proxy.maxRange = maxRange
  const publicClient = createPublicClient({ transport: http(proxy.url, { retryCount: 0, timeout: 60_000 }) })
  const tidegate = createTidegate({ url: world.network.providerUrl, wallet: walletFor(world, signer), publicClient })
  return { proxy, tidegate }
}

describe('orders', () => {
  it('are those of an address, newest first', async () => {
    const [first, second] = [await market.sale({ price: 'free' }), await market.sale({ price: 'free', timeout: HOUR })]
    const buyer = await market.person()
    const [one, two] = [await buyer.tidegate.buy(first.did), await buyer.tidegate.buy(second.did)]
    const found = await buyer.tidegate.orders()
    expect(found).toMatchObject([
      { tx: two.order, did: second.did, service: 'access', datatoken: second.datatoken, consumer: buyer.address },
      { tx: one.order, did: first.did, payer: buyer.address },
    ])
    expect(found[1]?.expires).toBeUndefined()
    expect(found[0]?.expires?.getTime()).toBe((found[0]?.started.getTime() as number) + HOUR * 1000)
    expect(await market.person().then(({ tidegate }) => tidegate.orders(buyer.address))).toEqual(found)
    const since = new Date(Date.now() + HOUR * 1000)
    expect(await buyer.tidegate.orders(undefined, { since })).toEqual([])
  })

  it('belong to the receiver of the files', async () => {
    const { did } = await market.sale({ price: 'free' })
    const [payer, consumer] = [await market.person(), await market.person()]
    const { order } = await payer.tidegate.buy(did, { consumer: consumer.address })
    expect(await consumer.tidegate.orders()).toMatchObject([{ tx: order, payer: payer.address }])
    expect(await payer.tidegate.orders()).toEqual([])
    expect(await consumer.tidegate.buy(did)).toMatchObject({ order, reused: true })
  })

  it('are found through a node that reads few blocks at once', async () => {
    const { did } = await market.sale({ price: 'free' })
    const buyer = await market.person()
    const { order } = await buyer.tidegate.buy(did)
    await world.rpc('anvil_mine', ['0x2bc'])
    const { proxy, tidegate } = await behind(buyer, 600)
    try {
      expect(await tidegate.orders()).toMatchObject([{ tx: order }])
      expect(proxy.calls.filter((method) => method === 'eth_getLogs').length).toBeLessThan(12)
      // a scan with a too strict node ends, and reports that
      proxy.maxRange = 5
      const onIncomplete = vi.fn()
      expect(await tidegate.orders(undefined, { onIncomplete })).toEqual([])
      expect(onIncomplete).toHaveBeenCalledWith(expect.any(Date))
    } finally {
      proxy.close()
    }
  })

  it('of an unreachable node are an error', async () => {
    const { proxy, tidegate } = await behind(await market.person(), 10)
    await tidegate.orders()
    proxy.close()
    await expect(tidegate.orders()).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' })
  })
})

describe('an order without enough confirmations', () => {
  it('is not paid a second time', async () => {
    const slow = await World.start({ ORDER_CONFIRMATIONS: '3' })
    try {
      const stall = new Market(slow)
      const { did } = await stall.sale({ price: 'free' })
      const buyer = await stall.person()
      const { order } = await buyer.tidegate.buy(did)
      const pending = { code: 'ORDER_PENDING', transactions: [order], message: expect.stringContaining(order) }
      await expect(buyer.tidegate.buy(did)).rejects.toMatchObject(pending)
      expect(await stall.sent(buyer)).toBe(1)
      await slow.rpc('anvil_mine', ['0x3'])
      await eventually(async () => (await buyer.tidegate.buy(did).catch(() => undefined))?.order === order)
      expect(await stall.sent(buyer)).toBe(1)
    } finally {
      await slow.close()
    }
  })
})

describe('an expired order', () => {
  it('is not used again', async () => {
    const { did } = await market.sale({ price: 'free', timeout: HOUR })
    const { tidegate } = await market.person()
    const { order } = await tidegate.buy(did)
    expect(await tidegate.quote(did)).toMatchObject({ order })
    later(2 * HOUR)
    expect((await tidegate.quote(did)).order).toBeUndefined()
  })

  it('is renewed for the provider fee if only that has expired, and if the terms are accepted', async () => {
    const adjust = (document: Record<string, never>) => {
      for (const service of document.services as unknown as { type: string }[]) service.type = 'compute'
      const termsAndConditions = { url: 'https://example.org/terms.md', sha256: acceptTerms }
      Object.assign(document.metadata as unknown as object, { additionalInformation: { termsAndConditions } })
    }
    const acceptTerms = 'ab'.repeat(32)
    const price = { token: world.network.addresses.Ocean, rate: 10n ** 18n }
    const { did } = await market.sale({ price, timeout: 30 * HOUR, adjust })
    const buyer = await market.person()
    await market.give(price.token, buyer, 10n ** 19n)
    const asked = () => ({ environment: ENVIRONMENT.id, validUntil: Math.floor(Date.now() / 1000) + HOUR })
    const first = await buyer.tidegate.buy(did, { ...asked(), acceptTerms })
    expect(first.paid).toMatchObject([{ symbol: 'OCEAN', amount: '1.00100000000000042' }])

    later(2 * HOUR)
    const quote = await buyer.tidegate.quote(did, asked())
    expect(quote).toMatchObject({ renews: first.order, price: { total: [{ units: 420n }] } })
    const before = await market.balance(price.token, buyer)
    await expect(buyer.tidegate.buy(quote, asked())).rejects.toMatchObject({ code: 'TERMS_NOT_ACCEPTED' })
    const renewed = await buyer.tidegate.buy(quote, { ...asked(), acceptTerms })
    const { input } = await market.reader.getTransaction({ hash: renewed.order })
    expect(input.endsWith(`eb78482634c9ab7f${acceptTerms}`)).toBe(true)
    expect(renewed).toMatchObject({ reused: false, paid: [{ units: 420n }], transactions: { length: 2 } })
    expect(before - (await market.balance(price.token, buyer))).toBe(420n)
    expect(await buyer.tidegate.quote(did, asked())).toMatchObject({ order: renewed.order, price: { total: [] } })
  })
})
