import { inspect } from 'node:util'
import { type Address, type Hex, isAddressEqual } from 'viem'
import { expect } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { DEV_CHAIN_ID } from '../../../dev-network/src/anvil.js'
import { purchaseStore } from '../../../purchases/src/records/purchase-table.js'
import { Buyer, type PurchaseBody } from './buyer.js'
import { HostileToken, tokenAt } from './hostile-token.js'

/** The fee for gas of a local network; 2.5 tokens with 0.2 % for the community, and the fee; and what each buyer holds. */
const GAS_FEE = 50_000n
export const PRICE = 2_505_000n + GAS_FEE
export const HELD = 10n * PRICE

/** A token of the report of purchases. */
interface TokenLine {
  token: Address
  amounts: Record<'paid' | 'spent' | 'refunded' | 'kept' | 'held', string>
  obstructed: { id: string; obstacle: string }[]
}

/** A service that sells one asset for a token that may misbehave, and another one for a token that does not. */
export class HostileMarket {
  private constructor(
    readonly world: World,
    readonly token: HostileToken,
    private readonly honest: HostileToken,
    private readonly settings: Record<string, string>,
  ) {}

  asset!: Published
  private other!: Published
  payTo!: Address

  static async open(): Promise<HostileMarket> {
    const PURCHASE_TOKENS = JSON.stringify({ [DEV_CHAIN_ID]: [tokenAt(0), tokenAt(1)] })
    const world = await World.start({ PURCHASES: 'on', PURCHASE_TOKENS, PURCHASE_DAILY_LIMIT: '1000000000' })
    const { STATE_DIR, PURCHASE_PRIVATE_KEY } = world.local.app.context.settings
    const key = Buffer.from(PURCHASE_PRIVATE_KEY?.secret as Uint8Array).toString('hex')
    const settings = world.beside({ STATE_DIR, PURCHASES: 'on', PURCHASE_TOKENS, PURCHASE_PRIVATE_KEY: key })
    const token = await HostileToken.deploy(world)
    const market = new HostileMarket(world, token, await HostileToken.deploy(world), settings)
    market.asset = await market.sell(market.token)
    market.other = await market.sell(market.honest)
    market.payTo = (await new Buyer(world).terms(market.asset)).payTo
    return market
  }

  private sell({ address }: HostileToken): Promise<Published> {
    const url = this.world.storage.file('/tides.csv', Buffer.from('3.1\n'))
    return this.world.publishUrl(url, { template: 2, pricing: { fixed: '2.5', token: address } })
  }

  /** A buyer who holds tokens, and a signed payment, valid for so many seconds. */
  async signing(seconds = 600, sold = this.asset, of = this.token) {
    const buyer = new Buyer(this.world)
    await of.call('mint', buyer.address, HELD)
    const required = await buyer.price(sold)
    const [accepted] = required.accepts
    if (accepted) accepted.maxTimeoutSeconds = seconds
    return { buyer, header: await buyer.sign(required) }
  }

  /** Pays with the token. */
  async buy(seconds?: number) {
    const { buyer, header } = await this.signing(seconds)
    const { body } = await buyer.pay(this.asset, header)
    return { buyer, header, id: body.id }
  }

  async stateOf(id: string): Promise<PurchaseBody> {
    return (await ask(`${this.world.network.providerUrl}/api/services/purchase/${id}`)).json as unknown as PurchaseBody
  }

  until(id: string, ...states: string[]): Promise<void> {
    return this.waits(id, async () => states.includes((await this.stateOf(id)).state))
  }

  /** Waits until a purchase waits for this reason, which the report tells; undefined: until it does not. */
  async untilWaits(id: string, obstacle: string | undefined): Promise<void> {
    await this.waits(id, async () => (await this.recordOf(id))?.obstacle === obstacle)
    const all = (await this.report()).flatMap(({ obstructed }) => obstructed)
    expect(all.find((one) => one.id === id)?.obstacle).toBe(obstacle)
  }

  private recordOf(id: string) {
    return purchaseStore(this.world.local.app.context.store.driver).find(id as Hex)
  }

  /** Waits for a condition of a purchase. Fails with its record, which says what it waits for. */
  private waits(id: string, condition: () => Promise<boolean>): Promise<void> {
    return eventually(condition).catch(async (cause) => {
      throw new Error(`The purchase stays as it is: ${inspect(await this.recordOf(id))}`, { cause })
    })
  }

  async report(): Promise<TokenLine[]> {
    return JSON.parse((await runHere(['report', '--purchases', '--json'], this.settings)).stdout)
  }

  async doctor(): Promise<string> {
    return (await runHere(['doctor'], this.settings)).stdout
  }

  /** Returns the gas for which the purchasing account pays meanwhile, at the least price of a local chain. */
  async gasOf(work: () => Promise<unknown>): Promise<bigint> {
    const coins = async () => (await this.world.provider.getBalance(this.payTo)).toBigInt()
    const [before, price] = [await coins(), (await this.world.provider.getGasPrice()).toBigInt()]
    await work()
    return (before - (await coins())) / price
  }

  /** Shows that a purchase with another token of the chain goes on. */
  async assertOthersGoOn(): Promise<void> {
    const { buyer, header } = await this.signing(600, this.other, this.honest)
    const { body } = await buyer.pay(this.other, header)
    await this.until(body.id, 'ordered')
    expect(await this.honest.balance(buyer.address)).toBe(HELD - PRICE)
  }

  /** Compares what the account holds with the records: what came in is ordered, refunded, kept or owed. */
  async assertBalanced(): Promise<void> {
    for (const { token, amounts } of await this.report()) {
      const [paid, spent, refunded, kept, held] = (['paid', 'spent', 'refunded', 'kept', 'held'] as const).map((name) =>
        BigInt(amounts[name]),
      ) as [bigint, bigint, bigint, bigint, bigint]
      expect(paid).toBe(spent + refunded + kept + held)
      const of = isAddressEqual(token, this.token.address) ? this.token : this.honest
      expect(await of.balance(this.payTo)).toBe(kept + held)
    }
  }
}
