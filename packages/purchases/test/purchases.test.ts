import { type Address, encodeFunctionData, type Hex, pad, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import type { Driver } from '../../database/src/sql.js'
import { openSqlite } from '../../database/src/sqlite/sqlite.js'
import { Cashier } from '../src/cashier/cashier.js'
import { approveCall } from '../src/chain/token-calls.js'
import type { NewPurchase, Purchase } from '../src/purchase.js'
import { purchaseStore } from '../src/records/purchase-table.js'
import { slotStore } from '../src/records/slot-table.js'
import { PURCHASE_TABLES } from '../src/schema.js'
import { ACCOUNT, FLOAT, GAS_FEE, SHOP_CALLS, TOKEN } from './simulation/ledger.js'
import { DEPTH, hashOf, SimulatedNetwork, simulatedChain } from './simulation/network.js'

const PRICE = 100n
const OTHER_ACCOUNT: Address = `0x${'bc'.repeat(20)}`
const DATATOKEN = pad(toHex(0xd0), { size: 20 })
const MINUTE = 60_000

const payerAt = (at: number): Address => pad(toHex(0xb0 + at), { size: 20 })

/** A payment of a payer, and what it buys. */
function wantedBy(at: number, value = PRICE + GAS_FEE, datatoken = DATATOKEN): NewPurchase {
  return {
    payment: {
      ...{ chainId: 1, token: TOKEN, payer: payerAt(at), value, nonce: hashOf(`nonce ${at} ${value}`) },
      ...{ signature: '0x5100', validAfter: 0, validBefore: 1_000_000 },
    },
    wanted: { did: datatoken, service: 'access', file: undefined },
    ...{ datatoken, isContract: false, gasFee: GAS_FEE, identifier: undefined },
  }
}

/** One instance of a service, with its own database unless it is given one. */
class Till {
  readonly db: Driver
  readonly purchases
  readonly cashier: Cashier
  readonly errors: unknown[] = []
  now = 1_000_000

  constructor(
    readonly network: SimulatedNetwork,
    {
      account = ACCOUNT,
      db = openSqlite(newFolder(), { tables: [PURCHASE_TABLES] }) as Driver,
      prices = [100n],
      ceiling = 10_000n,
      refuses = (_raw: Hex) => {},
      lacksReceipt = (_hash: Hex): boolean => false,
    } = {},
  ) {
    this.db = db
    this.purchases = purchaseStore(db)
    const simulated = simulatedChain(network, account, async () => undefined)
    const chain = {
      ...simulated,
      price: async () => (prices.length > 1 ? (prices.shift() as bigint) : (prices[0] as bigint)),
      send: async (raw: Hex) => {
        refuses(raw)
        await simulated.send(raw)
      },
      mined: async (hash: Hex) => (lacksReceipt(hash) ? undefined : simulated.mined(hash)),
    }
    const slots = slotStore(db, { chainId: 1, account })
    const log = { warn() {}, error: (fields: unknown) => this.errors.push(fields) } as never
    const shop = {
      plan: async ({ payment: { token, payer }, wanted: { did } }: Purchase) => {
        const args = [payer, PRICE] as const
        const data = encodeFunctionData({ abi: SHOP_CALLS, functionName: 'buyAndOrder', args })
        const call = { step: 'order' as const, to: did as Address, data, gas: 1 }
        return { calls: [{ ...approveCall(token, did as Address, PRICE), gas: 1 }, call], most: PRICE }
      },
    }
    this.cashier = new Cashier({ chain, purchases: this.purchases, slots, shop, ceiling, log })
  }

  async take(wanted: NewPurchase): Promise<Purchase> {
    const added = await this.purchases.add(wanted, 10n ** 9n, this.now)
    if (typeof added === 'string') throw new Error(added)
    return added.purchase
  }

  async advance(): Promise<void> {
    this.now += MINUTE
    await this.cashier.advance(this.now)
  }

  async find({ id }: Purchase): Promise<Purchase> {
    return (await this.purchases.find(id)) as Purchase
  }
}

/** A network on which some payers hold tokens, and a datatoken is for sale. */
function networkWith(payers: number): SimulatedNetwork {
  const network = new SimulatedNetwork()
  network.change(({ balances, prices }) => {
    balances.set(ACCOUNT, FLOAT)
    balances.set(OTHER_ACCOUNT, FLOAT)
    prices.set(DATATOKEN, PRICE)
    for (let at = 0; at < payers; at++) balances.set(payerAt(at), 10n * PRICE)
  })
  return network
}

const ordersOf = ({ blocks }: SimulatedNetwork) =>
  blocks.flatMap(({ transactions }) => transactions).filter(({ sent, isSuccess }) => isSuccess && sent.to === DATATOKEN)

async function untilQuiet(network: SimulatedNetwork, tills: readonly Till[]): Promise<void> {
  for (let round = 0; round < 40; round++) {
    for (const till of tills) await till.advance()
    network.mine()
  }
}

describe('the cashier', () => {
  it('orders once if a copy of its records runs beside it with the same key', async () => {
    const network = networkWith(1)
    const tills = [new Till(network, { prices: [100n] }), new Till(network, { prices: [200n] })]
    const purchases = await Promise.all(tills.map((till) => till.take(wantedBy(0))))
    await untilQuiet(network, tills)
    for (const [at, till] of tills.entries())
      expect(await till.find(purchases[at] as Purchase)).toMatchObject({
        state: 'ordered',
        isOpen: false,
        spent: PRICE,
      })
    expect(ordersOf(network)).toHaveLength(1)
  })

  it('looks again for the receipt that a node lacked, without another block', async () => {
    const network = networkWith(1)
    // those that a look at a mined transaction makes: by its hash, and again as its nonce was used
    let looks = 0
    const till = new Till(network, { lacksReceipt: (hash) => network.find(hash) !== undefined && ++looks <= 2 })
    const purchase = await till.take(wantedBy(0))
    await till.advance()
    for (let block = 0; block <= DEPTH; block++) network.mine()
    await till.advance()
    expect([looks, (await till.find(purchase)).state]).toEqual([2, 'received'])
    await till.advance()
    expect((await till.find(purchase)).state).toBe('settled')
  })

  it('leaves purchases alone that were paid to an account whose key it lacks', async () => {
    const network = networkWith(1)
    const before = new Till(network)
    const purchase = await before.take(wantedBy(0))
    while ((await before.find(purchase)).state !== 'settled') {
      await before.advance()
      network.mine()
    }
    const after = new Till(network, { account: OTHER_ACCOUNT, db: before.db })
    after.now = before.now
    await untilQuiet(network, [after])
    expect(network.head.ledger.balances.get(OTHER_ACCOUNT)).toBe(FLOAT)
    expect(after.errors).toContainEqual({ purchase: purchase.id, account: ACCOUNT })
    // with the key it goes on
    const again = new Till(network, { db: before.db })
    again.now = after.now
    await untilQuiet(network, [again])
    expect(await again.find(purchase)).toMatchObject({ state: 'ordered', isOpen: false })
  })

  it('replaces a transaction up to the ceiling of its price, and no further', async () => {
    const network = networkWith(1)
    const offered: number[] = []
    const till = new Till(network, {
      ceiling: 118n,
      refuses: (raw) => void offered.push(JSON.parse(Buffer.from(raw.slice(2), 'hex').toString()).price),
    })
    await till.take(wantedBy(0))
    for (let round = 0; round < 4; round++) await till.advance()
    expect([...new Set(offered)]).toEqual([100, 118])
  })

  it('fills a gap of nonces while an earlier transaction is not final', async () => {
    const network = networkWith(2)
    const till = new Till(network)
    const [first] = [await till.take(wantedBy(0))]
    await till.advance()
    network.mine()
    // two transactions of somebody else with the key, which a reorganisation undoes
    for (const nonce of [1, 2])
      network.send({ from: ACCOUNT, nonce, price: 200, to: ACCOUNT, data: '0x', hash: hashOf(`foreign ${nonce}`) })
    network.mine()
    const second = await till.take(wantedBy(1))
    await till.advance()
    network.reorganise(1, () => true)
    network.forget(() => true)
    const head = network.head.number
    for (let round = 0; round < 3; round++) await till.advance()
    network.mine()
    expect(network.nonceOf(ACCOUNT)).toBeGreaterThan(1)
    expect(network.final).toBeLessThan(head)
    await untilQuiet(network, [till])
    for (const purchase of [first, second]) expect(await till.find(purchase)).toMatchObject({ state: 'ordered' })
  })

  it('sends a refund ever less often, if the token answers yes and moves nothing', async () => {
    const network = networkWith(1)
    const till = new Till(network)
    const purchase = await till.take(wantedBy(0))
    network.change(({ prices }) => prices.delete(DATATOKEN))
    network.temper.blocked.add(payerAt(0))
    network.temper.isSilent = true
    const hours = async (count: number) => {
      for (let hour = 0; hour < count; hour++) {
        till.now += 60 * MINUTE
        for (let round = 0; round <= DEPTH; round++) network.mine()
        await till.advance()
      }
    }
    const refunds = () =>
      network.blocks
        .flatMap(({ transactions }) => transactions)
        .filter(({ sent }) => sent.to === TOKEN && sent.data.startsWith('0xa9059cbb')).length
    await hours(48)
    expect(await till.find(purchase)).toMatchObject({ state: 'settled', obstacle: 'REFUND_REFUSED', refunded: 0n })
    const first = refunds()
    expect(first).toBeGreaterThan(2)
    await hours(96)
    expect(refunds() - first).toBeLessThanOrEqual(4)
    network.temper.blocked.clear()
    await hours(48)
    expect(await till.find(purchase)).toMatchObject({ state: 'refunded', isOpen: false, refunded: PRICE + GAS_FEE })
  })
})
