import { readFileSync } from 'node:fs'
import { priceOf } from '@tidegate/client'
import { ethers } from 'ethers'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepared } from '../../../../test/helpers/prepared.js'
import { World } from '../../../../test/helpers/world.js'
import { devAccounts } from '../../../dev-network/src/anvil.js'
import { Market, type Person, type Sale } from './market.js'

/** The publisher whose assets have a provider fee, in USDC. */
const FEE_PUBLISHER = devAccounts()[5] as { address: string; privateKey: string }
const PROVIDER_FEE = 200_000n
const ONE = 10n ** 18n
const CENT = 10n ** 16n

let world: World
let market: Market
let Ocean: Address
let DAI: Address
let USDC: Address

beforeAll(async () => {
  const file = prepared('chain', 'address.json') as string
  const { MockUSDC } = JSON.parse(readFileSync(file, 'utf8')).development
  const rule = { name: 'usdc', publisher: FEE_PUBLISHER.address, token: MockUSDC, flat: String(PROVIDER_FEE) }
  world = await World.start({ PROVIDER_FEES: JSON.stringify([rule]) })
  market = new Market(world)
  const { addresses } = world.network
  Ocean = addresses.Ocean
  DAI = addresses.MockDAI
  USDC = addresses.MockUSDC
  // the community's shares: of exchanges in OCEAN and in other tokens, of orders, of provider fees
  await market.asFirst(addresses.Router, 'updateOPCFee', [CENT / 10n, 2n * CENT, CENT, CENT])
})
afterAll(() => world?.close())

const withFee = () => new ethers.Wallet(FEE_PUBLISHER.privateKey, world.provider)

async function holdings(person: Person): Promise<Map<Address, bigint>> {
  const tokens = [Ocean, DAI, USDC]
  return new Map(await Promise.all(tokens.map(async (token) => [token, await market.balance(token, person)] as const)))
}

/** Returns a buyer with enough of every token. */
async function rich(): Promise<Person> {
  const buyer = await market.person()
  await market.give(Ocean, buyer, 1_000n * ONE)
  await market.give(DAI, buyer, 1_000n * ONE)
  await market.give(USDC, buyer, 1_000_000_000n)
  return buyer
}

interface Case {
  sale: () => Sale
  /** Number of transactions of a purchase. */
  sent: number
  /** Units by token, and their exchange fees. */
  total: () => [Address, bigint][]
  fees?: bigint
}

const oceanRate = (rate: bigint, marketFee?: bigint) => ({ token: Ocean, rate, ...(marketFee ? { marketFee } : {}) })
const usdcRate = (rate: bigint, marketFee?: bigint) => ({ ...oceanRate(rate, marketFee), token: USDC, decimals: 6 })

const CASES: Record<string, Case> = {
  'template 2, free': { sale: () => ({ price: 'free' }), sent: 1, total: () => [] },
  'template 1, free': { sale: () => ({ price: 'free', template: 1 }), sent: 2, total: () => [] },
  'template 4, free': { sale: () => ({ price: 'free', template: 4 }), sent: 1, total: () => [] },
  'template 4, in OCEAN': {
    sale: () => ({ price: oceanRate(5n * ONE), template: 4 }),
    sent: 2,
    total: () => [[Ocean, 5n * ONE + (5n * ONE) / 1000n]],
  },
  'template 2, in OCEAN': {
    sale: () => ({ price: oceanRate(5n * ONE) }),
    sent: 2,
    total: () => [[Ocean, 5n * ONE + (5n * ONE) / 1000n]],
    fees: (5n * ONE) / 1000n,
  },
  'template 1, in OCEAN': {
    sale: () => ({ price: oceanRate(5n * ONE), template: 1 }),
    sent: 3,
    total: () => [[Ocean, 5n * ONE + (5n * ONE) / 1000n]],
  },
  'template 2, in DAI with the fee of a market': {
    sale: () => ({ price: { token: DAI, rate: 3n * ONE + 1n, marketFee: 5n * CENT } }),
    sent: 2,
    total: () => [[DAI, 3n * ONE + 1n + (3n * ONE + 1n) / 50n + (3n * ONE + 1n) / 20n]],
  },
  'template 2, in USDC with 6 decimals': {
    sale: () => ({ price: usdcRate(2_345_678n * 10n ** 12n, CENT) }),
    sent: 2,
    total: () => [[USDC, 2_345_678n + 23_456n + 46_913n]],
    fees: 23_456n + 46_913n,
  },
  'template 1, in USDC': {
    sale: () => ({ price: usdcRate(2_345_678n * 10n ** 12n), template: 1 }),
    sent: 3,
    total: () => [[USDC, 2_345_678n + 46_913n]],
  },
  'template 2, the price in DAI, the provider fee in USDC, the publisher’s in OCEAN': {
    sale: () => ({
      price: { token: DAI, rate: ONE },
      publishFee: { token: Ocean, amount: 7n },
      publisher: withFee(),
    }),
    sent: 4,
    total: () => [
      [DAI, ONE + ONE / 50n],
      [Ocean, 7n],
      [USDC, PROVIDER_FEE],
    ],
  },
  'template 1, price and provider fee in USDC, for two spenders': {
    sale: () => ({ price: usdcRate(ONE), template: 1, publisher: withFee() }),
    sent: 4,
    total: () => [[USDC, 1_020_000n + PROVIDER_FEE]],
  },
  'template 2, price and provider fee in USDC, approved together': {
    sale: () => ({ price: usdcRate(ONE), publisher: withFee() }),
    sent: 2,
    total: () => [[USDC, 1_020_000n + PROVIDER_FEE]],
  },
  'free, with the fee of a provider': {
    sale: () => ({ price: 'free', publisher: withFee() }),
    sent: 2,
    total: () => [[USDC, PROVIDER_FEE]],
  },
}

describe('a quote and its purchase', () => {
  it.each(Object.entries(CASES))('%s', async (_, { sale, sent, total, fees }) => {
    const { did, datatoken } = await market.sale(sale())
    const buyer = await rich()
    const quote = await buyer.tidegate.quote(did)
    expect(quote.price.total.map(({ token, units }) => [token, units])).toEqual(total())
    if (fees !== undefined) expect(quote.price.exchangeFees?.units).toBe(fees)
    const before = await holdings(buyer)
    const bought = await buyer.tidegate.buy(quote)
    const after = await holdings(buyer)

    const due = new Map(total())
    for (const [token, held] of before) expect(held - (after.get(token) as bigint)).toBe(due.get(token) ?? 0n)
    expect(bought).toMatchObject({ did, reused: false, paid: quote.price.total })
    expect(bought.transactions).toHaveLength(sent)
    expect(await market.sent(buyer)).toBe(sent)
    for (const spender of [datatoken, world.network.addresses.FixedPrice])
      for (const token of [Ocean, DAI, USDC]) expect(await market.allowance(token, buyer, spender)).toBe(0n)

    // the order is used from now on
    expect(await buyer.tidegate.quote(did)).toMatchObject({ order: bought.order, price: { total: [] } })
    const again = await buyer.tidegate.buy(quote)
    expect(again).toEqual({ did, service: 'access', order: bought.order, reused: true, paid: [], transactions: [] })
    expect(await market.sent(buyer)).toBe(sent)
  })

  it('of an unknown template is refused, and shown as not for sale', async () => {
    const { did, datatoken } = await market.sale({ price: oceanRate(ONE) })
    const { tidegate, ...buyer } = await rich()
    const quoted = await tidegate.quote(did)
    // code that returns 9 for every call, including the template's number
    await world.rpc('anvil_setCode', [datatoken, '0x600960005260206000f3'])
    const { chainId } = world.network
    const refused = { code: 'UNKNOWN_TEMPLATE', message: expect.stringContaining('template 9') }
    await expect(priceOf(tidegate.context, { chainId, datatoken })).rejects.toMatchObject(refused)
    await expect(tidegate.quote(did)).rejects.toMatchObject(refused)
    await expect(tidegate.buy(quoted)).rejects.toMatchObject(refused)
    expect((await tidegate.asset(did)).services[0]?.price).toEqual({ type: 'unavailable', total: [] })
    expect(await market.sent({ tidegate, ...buyer })).toBe(0)
  })
})
