import { type Address, numberToHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { compiled, deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { withLimits } from '../../../../test/helpers/limits.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { World } from '../../../../test/helpers/world.js'
import { settleCall } from '../../../purchases/src/chain/token-calls.js'
import { gasOfPurchase } from '../../../purchases/src/desk/desk.js'
import { readPayment } from '../../../purchases/src/desk/x402.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { Buyer } from './buyer.js'
import { pendingOf } from './rising-price.js'

/** What the gas of a purchase costs on a local network. */
const GAS_FEE = 50_000n

describe('a purchase that somebody attacks (threat 129)', () => {
  let world: World
  let asset: Published
  let payTo: Address

  withLimits(PURCHASE_LIMITS, (limits) => {
    limits.cashier.interval = 50
  })
  beforeAll(async () => {
    world = await World.start({ PURCHASES: 'on' })
    asset = await publish()
    payTo = (await (await Buyer.with(world, '0')).terms(asset)).payTo
  })

  const publish = async () =>
    world.publishUrl(world.storage.file('/tides.csv', Buffer.from('3.1\n')), {
      ...{ template: 2, pricing: { fixed: '2.5', token: 'MockUSDC' } },
    })
  it('counts each transfer once, if a buyer settles two payments in one transaction', async () => {
    const batch = await deployed(world.network.rpcUrl, 'Batch')
    const stranger = await world.somebody()
    const buyer = await Buyer.with(world, '10')
    const kept = await buyer.balance(payTo)
    const price = await buyer.price(asset)
    const headers = [await buyer.sign(price), await buyer.sign(price)]
    await world.rpc('evm_setAutomine', [false])
    const paying = headers.map((header) => buyer.pay(asset, header))
    await eventually(async () => (await pendingOf(world, payTo)) === 2)
    const calls = headers.map((header) => settleCall(readPayment(header).payment, payTo))
    const settling = transact(world.network, stranger, {
      ...{ to: batch, abi: compiled('Batch').abi, functionName: 'run' },
      args: [calls.map(({ to }) => to), calls.map(({ data }) => data)],
    })
    await eventually(async () => (await pendingOf(world, await stranger.getAddress())) === 1)
    await world.rpc('evm_mine')
    await world.rpc('evm_setAutomine', [true])
    const [answers] = await Promise.all([Promise.all(paying), settling])
    const amount = BigInt(price.accepts[0]?.amount as string)
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ state: 'ordered', paid: `${amount}`, refunded: '0' })
    }
    expect(await buyer.balance()).toBe(10_000_000n - 2n * amount)
    expect(await buyer.balance(payTo)).toBe(kept + 2n * GAS_FEE)
  })

  it('takes no payment whose gas the account can only pay for once, while another is under way', async () => {
    const coins = (await world.provider.getBalance(payTo)).toHexString()
    const buyers = [await Buyer.with(world, '10'), await Buyer.with(world, '10')] as const
    const required = await buyers[0].price(asset)
    // what the service offers, and a little more
    const price = ((await world.provider.getGasPrice()).toBigInt() * 130n) / 100n
    await world.rpc('anvil_setBalance', [payTo, numberToHex(price * BigInt(gasOfPurchase()))])
    await world.rpc('evm_setAutomine', [false])
    const first = buyers[0].pay(asset, await buyers[0].sign(required))
    await eventually(async () => (await pendingOf(world, payTo)) === 1)
    const refused = await buyers[1].pay(asset, await buyers[1].sign(required))
    await world.rpc('anvil_setBalance', [payTo, coins])
    await world.rpc('evm_setAutomine', [true])
    await world.rpc('evm_mine')
    expect(refused).toMatchObject({ status: 503, body: { code: 'PURCHASE_UNAVAILABLE' } })
    expect(await first).toMatchObject({ status: 200 })
  })
})
