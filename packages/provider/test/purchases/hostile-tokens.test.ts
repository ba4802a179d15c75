import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { withLimits } from '../../../../test/helpers/limits.js'
import { ask } from '../../../../test/helpers/requests.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { settleCall, TOKEN_CALLS } from '../../../purchases/src/chain/token-calls.js'
import { gasOfPurchase } from '../../../purchases/src/desk/desk.js'
import { readPayment } from '../../../purchases/src/desk/x402.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { Buyer } from './buyer.js'
import { HELD, HostileMarket, PRICE } from './hostile-market.js'
import type { Fault, HostileToken } from './hostile-token.js'

describe('a token that misbehaves, sold by the real route (threat 129)', () => {
  let market: HostileMarket
  let token: HostileToken

  withLimits(PURCHASE_LIMITS, ({ cashier, offers, underWay }) => {
    Object.assign(cashier, { interval: 50, wait: 100, patience: 2_000 })
    cashier.retry.first = 100
    offers.age = 1
    underWay.failed = 100
  })
  beforeAll(async () => {
    market = await HostileMarket.open()
    token = market.token
  })
  beforeEach(() => token.calm())

  /** The call of an exchange that the token makes while the exchange calls it. */
  const buyingAgain = () =>
    encodeFunctionData({
      abi: parseAbi(['function buyDT(bytes32 id, uint256 amount, uint256 most, address market, uint256 fee)']),
      args: [market.asset.exchangeId as Hex, 10n ** 18n, 10n ** 18n, zeroAddress, 0n],
    })

  it.each<[string, (faulty: HostileToken) => Promise<void>]>([
    ['a name of a megabyte', (faulty) => faulty.misbehave('name', 'megabyte')],
    ['a symbol of a megabyte', (faulty) => faulty.misbehave('symbol', 'megabyte')],
    ['a name of 10,000 characters', (faulty) => faulty.call('claim', 'n'.repeat(10_000), '1', 6)],
    ['a name that moves the cursor of terminals', (faulty) => faulty.call('claim', '\u001b[2J', '1', 6)],
    ['a name that its signatures lack', (faulty) => faulty.call('claim', 'Tides', '1', 6)],
    ['another domain of signatures', (faulty) => faulty.misbehave('DOMAIN_SEPARATOR', 'one')],
    ['decimals that burn all gas', (faulty) => faulty.misbehave('decimals', 'burns')],
    ['no decimals', (faulty) => faulty.misbehave('decimals', 'reverts')],
  ])('is not sold for while it tells %s', async (_, misbehave) => {
    await misbehave(token)
    const { status, json } = await ask(new Buyer(market.world).url(market.asset))
    expect({ status, code: json.code }).toEqual({ status: 404, code: 'NOT_OFFERED' })
  })

  it.each<[Fault, string]>([
    ['reverts', 'invalid_exact_evm_payload_signature'],
    ['burns', 'invalid_exact_evm_payload_signature'],
    ['megabyte', 'invalid_exact_evm_payload_signature'],
    ['zero', 'invalid_exact_evm_payload_signature'],
  ])('costs no gas if its transfer by signature %s', async (fault, reason) => {
    const { buyer, header } = await market.signing()
    await token.misbehave('transferWithAuthorization', fault)
    const paying = async () =>
      expect(await buyer.pay(market.asset, header)).toMatchObject({ status: 402, told: { errorReason: reason } })
    expect(await market.gasOf(paying)).toBe(0n)
    await market.assertOthersGoOn()
  })

  it.each<[Fault, string]>([
    ['reverts', 'PAYMENT_REFUSED'],
    ['burns', 'PAYMENT_REFUSED'],
    ['zero', 'PAYMENT_SHORT'],
  ])('costs the gas of one transfer if its transfer by signature %s when it is mined alone', async (fault, reason) => {
    await token.misbehave('transferWithAuthorization', fault, true)
    const { buyer, header } = await market.signing()
    const gas = await market.gasOf(async () => {
      const { body } = await buyer.pay(market.asset, header)
      await market.until(body.id, 'failed')
      expect(await market.stateOf(body.id)).toMatchObject({ reason, paid: '0' })
    })
    expect(gas).toBeLessThan(2n * BigInt(PURCHASE_LIMITS.gas.transfer))
    expect(await token.balance(buyer.address)).toBe(HELD)
    await market.assertOthersGoOn()
    await market.assertBalanced()
  })

  it.each<[string, Fault]>([
    ['transferFrom', 'reverts'],
    ['transferFrom', 'burns'],
    ['transferFrom', 'zero'],
    ['transferFrom', 'one'],
    ['transferFrom', 'megabyte'],
    ['transferFrom', 'calls back'],
    ['approve', 'burns'],
  ])('is refunded if the order cannot be paid, as %s %s', async (name, fault) => {
    await token.misbehave(name, fault)
    // what the exchange does not expect: it holds the lock of the datatoken
    await token.call('callBack', market.world.network.addresses.FixedPrice, buyingAgain())
    const gas = await market.gasOf(async () => {
      const { buyer, id } = await market.buy()
      await market.until(id, 'refunded')
      expect(await market.stateOf(id)).toMatchObject({ reason: 'ORDER_FAILED', paid: `${PRICE}`, refunded: `${PRICE}` })
      expect(await token.balance(buyer.address)).toBe(HELD)
    })
    expect(gas).toBeLessThan(2n * BigInt(gasOfPurchase()))
    await market.assertBalanced()
  })

  it.each<[string, Fault]>([
    ['reverts, as while it is paused or blocks the payer', 'reverts'],
    ['answers false', 'zero'],
    ['burns all gas', 'burns'],
    ['answers a megabyte', 'megabyte'],
  ])('costs no gas while a refund %s, and goes on', async (_, fault) => {
    await token.misbehave('transferFrom', 'reverts')
    await token.misbehave('transfer', fault)
    const { buyer, id } = await market.buy()
    await market.untilWaits(id, 'REFUND_REFUSED')
    const sent = await market.world.provider.getTransactionCount(market.payTo)
    expect(await market.doctor()).toContain(`purchase ${id} waits: REFUND_REFUSED`)
    await market.assertBalanced()
    // the transactions of another purchase alone
    await market.assertOthersGoOn()
    expect(await market.world.provider.getTransactionCount(market.payTo)).toBe(sent + 3)
    await token.calm()
    await market.until(id, 'refunded')
    expect(await token.balance(buyer.address)).toBe(HELD)
    await market.assertBalanced()
  })

  it('gives back what has arrived of a payment of which it kept a part', async () => {
    await token.call('levy', 10n, false)
    const { id } = await market.buy()
    await market.until(id, 'refunded')
    const arrived = (PRICE * 9n) / 10n
    expect(await market.stateOf(id)).toMatchObject({
      reason: 'PAYMENT_SHORT',
      paid: `${arrived}`,
      refunded: `${arrived}`,
    })
    await market.assertBalanced()
  })

  it('never pays with the tokens of another payer, if fewer have arrived than it tells', async () => {
    await token.misbehave('transferFrom', 'reverts')
    await token.misbehave('transfer', 'reverts')
    const waits = await market.buy()
    await market.untilWaits(waits.id, 'REFUND_REFUSED')
    const held = await token.balance(market.payTo)
    // refunds stay refused throughout: one that passes meanwhile takes from what is held
    await token.misbehave('transferFrom', 'none')
    await token.call('levy', 100n, true)
    const sent = () => market.world.provider.getTransactionCount(market.payTo)
    const before = await sent()
    const unpaid = await market.buy()
    // the payment is in a block
    await eventually(async () => (await sent()) > before)
    await token.call('levy', 0n, false)
    await market.untilWaits(unpaid.id, 'TOKENS_LACKING')
    expect(await token.balance(market.payTo)).toBe(held)
    await market.assertOthersGoOn()
    await token.call('mint', market.payTo, PRICE)
    await token.calm()
    await market.until(waits.id, 'refunded')
    await market.until(unpaid.id, 'ordered', 'refunded')
    await market.assertBalanced()
  })

  it('waits while the balance that it tells is none', async () => {
    const { buyer, header } = await market.signing()
    await token.misbehave('balanceOf', 'zero')
    const { body } = await buyer.pay(market.asset, header)
    await market.untilWaits(body.id, 'TOKENS_LACKING')
    await market.assertOthersGoOn()
    await token.calm()
    await market.until(body.id, 'ordered', 'refunded')
    await market.assertBalanced()
  })

  it.each<[string, Fault, string, number]>([
    ['used, and was not', 'one', 'failed', 60],
    ['unused, and was used by somebody else', 'zero', 'refunded', 120],
  ])('decides by its events, if it says that a payment is %s', async (_, lie, state, seconds) => {
    await token.misbehave('authorizationState', lie)
    await token.misbehave('transferWithAuthorization', 'reverts', true)
    const { id, header } = await market.buy(seconds)
    await (lie === 'one' ? market.untilWaits(id, 'SETTLEMENT_UNDECIDED') : market.until(id, 'failed'))
    await token.misbehave('transferWithAuthorization', 'none')
    if (lie === 'zero') {
      const { to, data } = settleCall(readPayment(header).payment, market.payTo)
      await transact(market.world.network, await market.world.somebody(), {
        ...{ to, abi: TOKEN_CALLS },
        ...decodeFunctionData({ abi: TOKEN_CALLS, data }),
      } as never)
    }
    await market.world.rpc('evm_increaseTime', [61])
    await market.world.rpc('evm_mine')
    await market.until(id, state)
    await market.untilWaits(id, undefined)
    await market.assertBalanced()
  })

  it.each([0, 77])('is sold for with %i decimals, to the last unit', async (decimals) => {
    await token.call('claim', 'Tide', '1', decimals)
    const { buyer } = await market.signing()
    await token.call('mint', buyer.address, 10n ** 76n)
    const { amount } = await buyer.terms(market.asset)
    const { body } = await buyer.pay(market.asset, await buyer.sign(await buyer.price(market.asset)))
    await market.until(body.id, 'ordered')
    expect(await token.balance(buyer.address)).toBe(HELD + 10n ** 76n - BigInt(amount))
    await market.assertBalanced()
  })
})
