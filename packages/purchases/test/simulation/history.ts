import { setImmediate as turn } from 'node:timers/promises'
import type { Driver } from '@tidegate/database'
import { ChainError } from '@tidegate/protocol'
import { type Address, encodeFunctionData, type Hex, pad, toHex } from 'viem'
import { seeded } from '../../../../test/helpers/recorded-disk.js'
import { Cashier } from '../../src/cashier/cashier.js'
import { approveCall, settleCall } from '../../src/chain/token-calls.js'
import type { NewPurchase, Purchase } from '../../src/purchase.js'
import { type PurchaseStore, purchaseStore } from '../../src/records/purchase-table.js'
import { type Call, slotStore } from '../../src/records/slot-table.js'
import type { Shop } from '../../src/shop/shop.js'
import { ACCOUNT, FLOAT, GAS_FEE, pairOf, SHOP_CALLS, TOKEN } from './ledger.js'
import { hashOf, SimulatedNetwork, simulatedChain } from './network.js'
import { faultOf } from './reference.js'

/** The process ends here. */
class Crash extends Error {}

const PRICE = 100n
const VALUE = PRICE + GAS_FEE

const addressOf = (number: number): Address => pad(toHex(number), { size: 20 })

/** A datatoken whose last digit is odd needs two transactions. */
export const isInTwo = (datatoken: string) => Number.parseInt(datatoken.slice(-1), 16) % 2 === 1

/** One history of purchases: crashes, failures, reorganisations and the acts of others, as a seed decides. */
export class History {
  readonly network = new SimulatedNetwork()
  readonly wanted: NewPurchase[] = []
  private readonly random: () => number
  private now = 1_000_000
  private isCalm = false
  private cashiers: Cashier[] = []

  constructor(
    seed: number,
    private readonly db: Driver,
  ) {
    this.random = seeded(seed)
    this.network.change(({ balances, prices }) => {
      balances.set(ACCOUNT.toLowerCase(), FLOAT)
      for (let at = 0; at < 4; at++) prices.set(addressOf(0xd0 + at), PRICE)
    })
    const count = 1 + Math.floor(this.random() * 5)
    for (let at = 0; at < count; at++) this.wanted.push(this.payment(at))
    this.cashiers = [this.cashier(), this.cashier()]
  }

  /** Runs the history to its end. Returns what is wrong then; undefined if nothing is. */
  async run(steps = 120): Promise<string | undefined> {
    for (let step = 0; step < steps; step++) await this.act()
    this.isCalm = true
    this.network.temper.blocked.clear()
    this.network.temper.isSilent = false
    const [cashier] = this.cashiers as [Cashier]
    for (let round = 0; round < 600; round++) {
      this.now += 20_000
      this.network.mine()
      if (!(await cashier.advance(this.now)) && round > 12) break
    }
    const records: Purchase[] = []
    for await (const record of purchaseStore(this.db).between(0, Number.MAX_SAFE_INTEGER)) records.push(record)
    return faultOf(this.network, records)
  }

  private chance(of: number): boolean {
    return this.random() < of
  }

  private purchases(): PurchaseStore {
    return purchaseStore(this.driver())
  }

  private payment(at: number): NewPurchase {
    const payer = addressOf(0xb0 + at)
    const datatoken = addressOf(0xd0 + Math.floor(this.random() * 4))
    const held = this.chance(0.15) ? VALUE - 1n : VALUE * 2n
    this.network.change(({ balances }) => balances.set(payer.toLowerCase(), held))
    return {
      payment: {
        ...{ chainId: 1, token: TOKEN, payer, value: VALUE, nonce: hashOf(`nonce ${at}`), signature: '0x5100' as Hex },
        ...{ validAfter: 0, validBefore: this.network.head.time + (this.chance(0.2) ? 30 : 600) },
      },
      wanted: { did: datatoken, service: 'access', file: undefined },
      datatoken,
      ...{ isContract: false, gasFee: GAS_FEE, identifier: undefined },
    }
  }

  /** What goes wrong at a request or a statement. */
  private readonly trouble = async (request: string): Promise<void> => {
    if (this.isCalm) return
    if (this.chance(0.3)) await turn()
    if (this.chance(0.02)) throw new Crash(request)
    if (request !== 'database' && this.chance(0.05)) throw new ChainError('CHAIN_UNAVAILABLE', `No ${request} now.`)
  }

  /** The database, which the process may lose before and after each write. */
  private driver(): Driver {
    const { trouble } = this
    const db = this.db
    const around = async <T>(work: () => Promise<T>): Promise<T> => {
      await trouble('database')
      const result = await work()
      await trouble('database')
      return result
    }
    const { query, transact, stream } = db
    return {
      ...db,
      query: (...args: Parameters<Driver['query']>) => around(() => query.apply(db, args)),
      transact: (script: never) => around(() => transact.call(db, script)),
      stream: (...args: Parameters<Driver['stream']>) => stream.apply(db, args),
    } as Driver
  }

  private cashier(): Cashier {
    const chain = simulatedChain(this.network, ACCOUNT, this.trouble)
    const log = { warn() {}, error() {} } as never
    const slots = slotStore(this.driver(), { chainId: 1, account: ACCOUNT })
    return new Cashier({ chain, purchases: this.purchases(), slots, shop: this.shop(), ceiling: 10_000n, log })
  }

  private shop(): Shop {
    return {
      plan: async ({ wanted, payment: { token, payer } }, isBought) => {
        await this.trouble('plan')
        const to = wanted.did as Address
        const price = this.network.head.ledger.prices.get(to)
        const call = (functionName: 'buyAndOrder' | 'buy' | 'order', most: bigint): Call => ({
          ...{ step: functionName === 'buy' ? 'buy' : 'order', to, gas: 1 },
          data: encodeFunctionData({
            abi: SHOP_CALLS,
            functionName,
            args: functionName === 'order' ? [payer] : [payer, most],
          } as never),
        })
        if (isBought) return { calls: [call('order', 0n)], most: 0n }
        if (price === undefined) return 'NOT_FOR_SALE'
        const approval = { ...approveCall(token, to, price), gas: 1 }
        return { calls: [approval, call(isInTwo(to) ? 'buy' : 'buyAndOrder', price)], most: price }
      },
    }
  }

  /** Lets one instance do what is due, and start anew after a crash. */
  private async advance(at: number): Promise<void> {
    try {
      await this.cashiers[at]?.advance(this.now)
    } catch (error) {
      if (error instanceof Crash) this.cashiers[at] = this.cashier()
      else if (!(error instanceof ChainError)) throw error
    }
  }

  private async act(): Promise<void> {
    this.now += Math.floor(this.random() * 40_000)
    const { network } = this
    const [chosen] = this.wanted.slice(Math.floor(this.random() * this.wanted.length))
    if (!chosen) return
    const { payment, wanted } = chosen
    const datatoken = wanted.did
    const acts: [number, () => unknown][] = [
      [20, () => this.purchases().add(chosen, 10_000n, this.now).catch(unlessCrash)],
      [30, () => this.advance(0)],
      [10, () => this.advance(1)],
      [20, () => Promise.all([this.advance(0), this.advance(1)])],
      [40, () => network.mine(() => this.chance(0.8))],
      [6, () => network.reorganise(1 + Math.floor(this.random() * 4), () => this.chance(0.3))],
      [3, () => network.forget(() => this.chance(0.5))],
      [1, () => network.change(({ authorizations }) => takes(authorizations, payment.payer, payment.nonce))],
      [1, () => network.change(({ balances }) => balances.set(payment.payer.toLowerCase(), 0n))],
      [2, () => network.change(({ prices }) => prices.delete(datatoken))],
      [3, () => network.change(({ prices }) => prices.set(datatoken, PRICE))],
      [1, () => network.change(({ prices }) => prices.set(datatoken, PRICE + 1n))],
      [2, () => network.change(({ prices }) => prices.set(datatoken, PRICE - 30n))],
      [1, () => network.temper.blocked.add(payment.payer.toLowerCase())],
      [1, () => (network.temper.isSilent = this.chance(0.5))],
      [2, () => this.settleByOthers(payment)],
      [1, () => this.useKeyElsewhere()],
    ]
    let left = this.random() * acts.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, act] of acts) {
      left -= weight
      if (left < 0) return void (await act())
    }
  }

  /** Anybody who has seen a signature may use it. */
  private settleByOthers(payment: Purchase['payment']): void {
    const { to, data } = settleCall(payment, ACCOUNT)
    const from = addressOf(0xee)
    this.sendAs(from, this.network.nonceOf(from), to, data)
  }

  private useKeyElsewhere(): void {
    this.sendAs(ACCOUNT, this.network.nonceOf(ACCOUNT), ACCOUNT, '0x')
  }

  private sendAs(from: Address, nonce: number, to: Address, data: Hex): void {
    const content = { from, nonce, price: 200, to, data }
    try {
      this.network.send({ ...content, hash: hashOf(JSON.stringify([content, this.random()])) })
    } catch {
      // refused by the node
    }
  }
}

function takes(authorizations: Map<string, 'used' | 'canceled'>, payer: string, nonce: string): void {
  const key = pairOf(payer, nonce)
  if (!authorizations.has(key)) authorizations.set(key, 'canceled')
}

function unlessCrash(error: unknown): void {
  if (!(error instanceof Crash)) throw error
}
