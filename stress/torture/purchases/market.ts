import type { ethers } from 'ethers'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, parseEther, parseUnits } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { Buyer } from '../../../packages/provider/test/purchases/buyer.js'
import { compiled, deployed } from '../../../test/helpers/contracts.js'
import { eventually } from '../../../test/helpers/eventually.js'
import type { Published } from '../../../test/helpers/publish.js'
import { transact } from '../../../test/helpers/transactions.js'
import type { Random } from '../lib/random.js'
import { contentOf, LOCATION } from '../storage.js'
import type { TortureWorld } from '../world.js'

/** Confirmations after which a block is final for the service: a reorganisation replaces fewer blocks. */
export const CONFIRMATIONS = 3
/** What the service keeps of each purchase for gas, in the token's smallest unit. */
export const GAS_FEE = 50_000n

const TRANSFER = parseAbi(['function transfer(address to, uint256 value)'])
const EXCHANGE = parseAbi([
  'function setRate(bytes32 exchangeId, uint256 rate)',
  'function toggleExchangeState(bytes32 exchangeId)',
])
/** The usual price of an asset, and a raised one, as rates of the exchange. */
const RATES = { usual: parseEther('2.5'), raised: parseEther('100') }
/** What a buyer holds, in whole tokens: enough for several purchases at the raised price. */
const PURSE = '1000'
const COINS = numberToHex(parseEther('100'))
/** Buyers that get their tokens at once. */
const BATCH = 40

/** What is sold, and to whom: assets, their prices, and buyers who hold tokens. */
export class Market {
  readonly assets: Published[] = []
  /** The purchasing account. */
  readonly account: Address
  private readonly buyers: Buyer[] = []
  private filling: Promise<unknown> | undefined
  private files = 0

  private constructor(
    readonly torture: TortureWorld,
    private readonly holder: ethers.Wallet,
    private readonly batch: Address,
    private readonly random: Random,
    readonly key: Hex,
  ) {
    this.account = privateKeyToAddress(key)
  }

  /** Puts assets of both templates on sale, and gives buyers tokens. Blocks come with transactions until `tick`. */
  static async open(torture: TortureWorld, key: Hex, random: Random, assets: number): Promise<Market> {
    const { world } = torture
    const { network, provider } = world
    const [batch, holder] = await Promise.all([deployed(network.rpcUrl, 'Batch'), world.somebody()])
    const args = [batch, parseUnits('100000000', 6)]
    const owner = provider.getSigner(network.accounts[0]?.address)
    await transact(network, owner, { to: network.addresses.MockUSDC, abi: TRANSFER, functionName: 'transfer', args })
    const market = new Market(torture, holder, batch, random, key)
    await market.giveCoins()
    await market.fill()
    for (let at = 0; at < assets; at++) await market.publish()
    return market
  }

  get token(): Address {
    return this.torture.world.network.addresses.MockUSDC as Address
  }

  /** Lets a block come every second, with the transactions that wait. */
  async tick(): Promise<void> {
    await this.torture.world.rpc('evm_setAutomine', [false])
    await this.torture.world.rpc('evm_setIntervalMining', [1])
  }

  /** Takes a buyer who holds tokens and has no payment under way. */
  async buyer(): Promise<Buyer> {
    for (;;) {
      if (this.buyers.length < BATCH / 2)
        this.filling ??= this.fill().finally(() => {
          this.filling = undefined
        })
      const buyer = this.buyers.pop()
      if (buyer) return buyer
      await this.filling
    }
  }

  /** Takes back a buyer who may buy again. */
  giveBack(buyer: Buyer): void {
    this.buyers.unshift(buyer)
  }

  /** Moves all tokens of a buyer away, in a transaction that offers more for gas than the settlement of his payment. */
  async empty(buyer: Buyer): Promise<void> {
    const { world } = this.torture
    const wallet = await world.somebody(buyer.wallet)
    const args = [this.batch, await buyer.balance()]
    await transact(world.network, wallet, { to: this.token, abi: TRANSFER, functionName: 'transfer', args })
  }

  /** Replaces an asset that the service stops selling after too many failed orders in a day. */
  async replace(asset: Published): Promise<void> {
    const at = this.assets.indexOf(asset)
    if (at < 0) return
    this.assets.splice(at, 1)
    await this.publish()
  }

  /** Raises the price of an asset, or lowers it to the usual one. */
  setPrice(asset: Published, which: keyof typeof RATES): Promise<void> {
    return this.atExchange(asset, 'setRate', [asset.exchangeId, RATES[which]])
  }

  /** Opens or closes the exchange of an asset. */
  toggle(asset: Published): Promise<void> {
    return this.atExchange(asset, 'toggleExchangeState', [asset.exchangeId])
  }

  /** Gives the purchasing account coins for gas; `coins` in wei as a hexadecimal number. */
  async giveCoins(coins: string = COINS): Promise<void> {
    await this.torture.world.rpc('anvil_setBalance', [this.account, coins])
  }

  /** Runs work on the chain, and waits until no reorganisation can undo it. */
  finally<T>(work: () => Promise<T>): Promise<T> {
    return this.torture.onChain(async () => {
      const result = await work()
      const { provider } = this.torture.world
      const last = (await provider.getBlockNumber()) + CONFIRMATIONS
      if (await this.isTicking())
        await eventually(async () => (await provider.getBlockNumber()) >= last, undefined, 200)
      return result
    })
  }

  private async isTicking(): Promise<boolean> {
    return (await this.torture.world.rpc('anvil_getIntervalMining')) !== null
  }

  private atExchange(_asset: Published, functionName: string, args: unknown[]): Promise<void> {
    const { world, publisher } = this.torture
    const call = { to: world.network.addresses.FixedPrice as string, abi: EXCHANGE, functionName, args }
    return this.finally(async () => void (await transact(world.network, publisher, call)))
  }

  private async fill(): Promise<void> {
    const { world } = this.torture
    const fresh = Array.from({ length: BATCH }, () => new Buyer(world))
    const calls = fresh.map(({ address }) =>
      encodeFunctionData({ abi: TRANSFER, args: [address, parseUnits(PURSE, 6)] }),
    )
    const args = [fresh.map(() => this.token), calls]
    const paying = { to: this.batch, abi: compiled('Batch').abi, functionName: 'run', args }
    await this.finally(() => transact(world.network, this.holder, paying))
    this.buyers.push(...fresh)
  }

  private async publish(): Promise<void> {
    const { storage, world, publisher } = this.torture
    const path = `/${LOCATION}/sold-${this.files++}.csv`
    storage.serve(path, contentOf('s', 1000))
    const options = { template: this.random.one([1, 2] as const), publisher }
    const pricing = { fixed: '2.5', token: 'MockUSDC' } as const
    const url = `http://127.0.0.1:${storage.port}${path}`
    this.assets.push(await this.finally(() => world.publishUrl(url, { ...options, pricing })))
  }
}
