import { decodePaymentRequiredHeader } from '@x402/core/http'
import { type Address, type Hex, isAddressEqual, numberToHex, parseAbi, parseAbiItem, parseEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PostgresBackend, startPostgres } from '../../../../test/helpers/backends.js'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { seeded } from '../../../../test/helpers/recorded-disk.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { rpcClient } from '../../../chain/src/rpc/clients.js'
import { Buyer, type PurchaseBody, purchaseUrl } from './buyer.js'

const SEED = Number(process.env.TIDEGATE_SEED ?? 1)
const BUYERS = sized(6, 40)
const KILLS = sized(5, 40)
const GAS_FEE = 50_000n

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
const ORDER = parseAbiItem(
  'event OrderStarted(address indexed consumer, address payer, uint256 amount, uint256 serviceIndex, uint256 timestamp, address indexed publishMarketAddress, uint256 blockNumber)',
)

describe('two instances that sell for signed payments on one PostgreSQL', () => {
  const random = seeded(SEED)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const key = newWallet().privateKey as Hex
  const account = privateKeyToAddress(key)
  let world: World
  let postgres: PostgresBackend
  let environment: NodeJS.ProcessEnv
  let instances: Instance[]
  let assets: Published[]
  let buyers: Buyer[]

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), startPostgres()])
    atEnd(() => postgres.close())
    const { MockUSDC } = world.network.addresses
    environment = world.beside({
      ...{ DATABASE_URL: postgres.url(), STATE_DIR: postgres.folder, INDEX_POLL_INTERVAL: '500' },
      ...{ PURCHASES: 'on', PURCHASE_PRIVATE_KEY: key, PURCHASE_GAS_FEE: '0.05', PURCHASE_CONFIRMATIONS: '3' },
      PURCHASE_TOKENS: JSON.stringify({ [world.network.chainId]: [MockUSDC] }),
    })
    await world.rpc('anvil_setBalance', [account, numberToHex(parseEther('100'))])
    const publisher = await world.somebody()
    const url = world.storage.file('/tides.csv', Buffer.from('3.1\n'))
    const sell = (template: 1 | 2) =>
      world.publishUrl(url, { template, publisher, pricing: { fixed: '2.5', token: 'MockUSDC' } })
    assets = [await sell(1), await sell(2), await sell(2)]
    buyers = []
    for (let at = 0; at < BUYERS; at++) buyers.push(await Buyer.with(world, '10'))
    instances = await Promise.all([startInstance(environment), startInstance(environment)])
    raise = () =>
      transact(world.network, publisher, {
        ...{
          to: world.network.addresses.FixedPrice,
          functionName: 'setRate',
          args: [assets[2]?.exchangeId, 10n ** 20n],
        },
        abi: parseAbi(['function setRate(bytes32 exchangeId, uint256 rate)']),
      })
    await world.rpc('evm_setAutomine', [false])
    await world.rpc('evm_setIntervalMining', [1])
  })
  /** Lets no payment of the last asset become an order. */
  let raise: () => Promise<unknown>

  async function untilBlocks(count: number, isOver = () => false): Promise<void> {
    const end = (await world.provider.getBlockNumber()) + count
    await eventually(async () => isOver() || (await world.provider.getBlockNumber()) >= end)
  }

  /** Asks any instance, again until one answers: both may be dead now. */
  async function ask(asset: Published, headers: Record<string, string>): Promise<Response> {
    for (;;) {
      const url = purchaseUrl(world, asset).replace(world.network.providerUrl, pick(instances).url)
      const response = await fetch(url, { headers }).catch(() => undefined)
      const isDecided = response?.status === 200 || response?.status === 402
      if (response && isDecided) return response
      if (response?.status === 409) throw new Error(await response.text())
      await response?.text().catch(() => '')
      await untilBlocks(1)
    }
  }

  async function buy(buyer: Buyer, asset: Published): Promise<PurchaseBody & { asset: Published }> {
    const priced = await ask(asset, {})
    const required = decodePaymentRequiredHeader(priced.headers.get('payment-required') as string)
    const signed = await buyer.sign(required)
    const response = await ask(asset, { 'payment-signature': signed })
    return { ...((await response.json()) as PurchaseBody), asset }
  }

  async function killOften(isOver: () => boolean): Promise<number> {
    let kills = 0
    while (kills < KILLS && !isOver()) {
      await untilBlocks(1 + Math.floor(random() * 5), isOver)
      const at = Math.floor(random() * instances.length)
      await instances[at]?.end('SIGKILL')
      instances[at] = await startInstance(environment)
      kills += 1
    }
    return kills
  }

  it(`orders or refunds each of ${BUYERS} payments once, over kill -9 at random (seed ${SEED}, threat 129)`, async () => {
    let isOver = false
    const buying = Promise.all(buyers.map((buyer, at) => buy(buyer, assets[at % assets.length] as Published)))
    const done = buying.finally(() => (isOver = true))
    const rising = eventually(
      async () => (await onPostgres(postgres.url(), 'SELECT id FROM purchases')).length > 0 || isOver,
    ).then(() => raise())
    const [bodies, kills] = await Promise.all([done, killOften(() => isOver), rising])
    expect(kills).toBeGreaterThan(0)
    await eventually(
      async () => (await onPostgres(postgres.url(), 'SELECT id FROM purchases WHERE is_open = 1')).length === 0,
    )

    const chain = rpcClient(new URL(world.network.rpcUrl))
    const token = world.network.addresses.MockUSDC as Address
    const range = { fromBlock: 0n, toBlock: 'latest' } as const
    const transfers = await chain.getLogs({ address: token, event: TRANSFER, strict: true, ...range })
    const orders = await chain.getLogs({ event: ORDER, strict: true, ...range })
    const moved = (from: Address, to: Address) =>
      transfers
        .filter(({ args }) => isAddressEqual(args.from, from) && isAddressEqual(args.to, to))
        .map(({ args }) => args.value)
    let fees = 0n
    for (const [at, body] of bodies.entries()) {
      const { address } = buyers[at] as Buyer
      const [paid = 0n, ...more] = moved(address, account)
      const back = moved(account, address)
      const made = orders.filter(({ args }) => isAddressEqual(args.consumer, address))
      expect(more).toEqual([])
      if (body.state === 'ordered') {
        expect({ orders: made.length, back }).toEqual({ orders: 1, back: [] })
        expect(made[0]?.transactionHash).toBe(body.transferTxId)
        fees += GAS_FEE
      } else {
        expect(body).toMatchObject({ state: 'refunded', reason: 'PRICE_CHANGED' })
        expect({ orders: made.length, back }).toEqual({ orders: 0, back: [paid] })
      }
    }
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(BUYERS)
    expect(await buyers[0]?.balance(account)).toBe(fees)
  })
})
