import type { Signer } from 'ethers'
import { parseAbi } from 'viem'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { withLimits } from '../../../../test/helpers/limits.js'
import type { DDO } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask } from '../../../../test/helpers/requests.js'
import type { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { transact } from '../../../../test/helpers/transactions.js'
import { World } from '../../../../test/helpers/world.js'
import { PURCHASE_LIMITS } from '../../../purchases/src/limits.js'
import { Buyer } from './buyer.js'

const ABI = parseAbi([
  'function become(uint8 mood)',
  'function toggleExchangeState(bytes32 exchangeId)',
  'function setAllowedSwapper(bytes32 exchangeId, address swapper)',
  'function setMetaDataState(uint8 state)',
])
const REVOKED = 3
/** The first bytes of transferWithAuthorization with v, r and s. */
const SETTLE = '0xe3ee160e'

describe('a purchase that cannot end well (threat 129)', () => {
  let world: World
  let proxy: RpcProxy
  let publisher: Signer
  let asset: Published

  withLimits(PURCHASE_LIMITS, ({ cashier, offers }) => {
    cashier.interval = 50
    offers.age = 1
  })
  beforeAll(async () => {
    ;({ world, proxy } = await World.behindProxy({ PURCHASES: 'on' }))
    publisher = await world.somebody()
    asset = await sell()
  })
  afterEach(() => {
    vi.restoreAllMocks()
    proxy.refuse = () => undefined
  })

  const sell = (adjust: (ddo: DDO) => void = () => undefined) =>
    world.publishUrl(world.storage.file('/tides.csv', Buffer.from('3.1\n')), {
      ...{ template: 2, publisher, adjust, pricing: { fixed: '2.5', token: 'MockUSDC' } },
    })
  const call = (to: string, functionName: string, ...args: unknown[]) =>
    transact(world.network, publisher, { to, abi: ABI, functionName, args })
  const exchange = (functionName: string, ...args: unknown[]) =>
    call(world.network.addresses.FixedPrice, functionName, ...args)
  const serviceOf = (ddo: DDO) => ddo.services[0] as unknown as Record<string, unknown>

  /** Asserts that neither price nor payment leads to a transaction. */
  async function assertRefused(sold: Published, buyer: Buyer, expected: object, header?: string) {
    const sent = async () => world.provider.getTransactionCount((await buyer.terms(asset)).payTo)
    const before = await sent()
    if (header === undefined) {
      const { status, json, text } = await ask(buyer.url(sold))
      expect({ status, ...json, text }).toMatchObject(expected)
    } else expect(await buyer.pay(sold, header)).toMatchObject(expected)
    expect(await sent()).toBe(before)
  }

  it.each<[string, object, (sold: Published) => Promise<unknown>]>([
    [
      'whose exchange is off',
      { status: 404, code: 'NOT_OFFERED' },
      (sold) => exchange('toggleExchangeState', sold.exchangeId),
    ],
    [
      'that only another account may buy',
      { status: 404, code: 'NOT_OFFERED' },
      (sold) => exchange('setAllowedSwapper', sold.exchangeId, `0x${'5'.repeat(40)}`),
    ],
    [
      'that is revoked',
      { status: 403 },
      async (sold) => world.indexed((await call(sold.nft, 'setMetaDataState', REVOKED)).transactionHash),
    ],
  ])('is refused for an asset %s, with a payment as well', async (_, expected, change) => {
    const sold = await sell()
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(sold))
    await change(sold)
    await assertRefused(sold, buyer, expected)
    const { status, code } = expected as { status: number; code?: string }
    await assertRefused(sold, buyer, { status, ...(code ? { body: { code } } : {}) }, header)
  })

  it.each<[string, RegExp, (ddo: DDO) => void]>([
    ['sells computing', /sells computing/, (ddo) => Object.assign(serviceOf(ddo), { type: 'compute', compute: {} })],
    [
      'asks consumers for a parameter',
      /station/,
      (ddo) =>
        Object.assign(serviceOf(ddo), {
          consumerParameters: [
            { name: 'station', type: 'text', label: 'Station', required: true, description: 'Where', default: '' },
          ],
        }),
    ],
  ])('is refused for a service that %s', async (_, text, adjust) => {
    await assertRefused(await sell(adjust), await Buyer.with(world, '10'), {
      status: 400,
      text: expect.stringMatching(text),
    })
  })

  it('is refused for a payer who is denied', async () => {
    const buyer = await Buyer.with(world, '10')
    const sold = await sell((ddo) =>
      Object.assign(ddo, { credentials: { allow: [], deny: [{ type: 'address', values: [buyer.address] }] } }),
    )
    const header = await buyer.sign(await buyer.price(sold))
    await assertRefused(sold, buyer, { status: 403 }, header)
  })

  it.each([
    ['are under way', 'perPayer', '10'],
    ['failed today', 'failed', '3600'],
  ] as const)('is refused for a payer of whom too many %s, with the time of the next try', async (reason, limit, retryAfter) => {
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(asset))
    const before = PURCHASE_LIMITS.underWay[limit]
    PURCHASE_LIMITS.underWay[limit] = 0
    const body = { code: 'PURCHASE_LIMITED', error: expect.stringContaining(reason) }
    await assertRefused(asset, buyer, { status: 429, retryAfter, body }, header)
    PURCHASE_LIMITS.underWay[limit] = before
    expect(await buyer.pay(asset, header)).toMatchObject({ status: 200 })
  })

  it.each(['eth_call', 'eth_estimateGas'])('is not refused because a node fails at %s', async (failing) => {
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(asset))
    proxy.refuse = (method, [request]) =>
      method === failing && `${(request as { data?: string }).data}`.startsWith(SETTLE)
        ? { code: -32603, message: 'Internal error' }
        : undefined
    await assertRefused(asset, buyer, { status: 502, body: { code: 'CHAIN_UNAVAILABLE' } }, header)
    proxy.refuse = () => undefined
    expect(await buyer.pay(asset, header)).toMatchObject({ status: 200 })
  })

  it('is timed by the chain, if the clock of the service is nearly ten minutes fast', async () => {
    const buyer = await Buyer.with(world, '10')
    const header = await buyer.sign(await buyer.price(asset))
    const now = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 580_000)
    const { status, body } = await buyer.pay(asset, header)
    expect({ status, state: body.state }).toEqual({ status: 200, state: 'ordered' })
  })

  /** A buyer whose contract wallet pays. */
  async function contractBuyer(mood: number): Promise<Buyer> {
    const owner = new Buyer(world)
    const address = await deployed(world.network.rpcUrl, 'Wallet', [owner.address])
    const buyer = new Buyer(world, owner.wallet, address)
    await buyer.receive('10')
    await call(address, 'become', mood)
    return buyer
  }

  it.each([
    ['says yes', 1, 'ordered'],
    ['checks the signature of its owner', 0, 'ordered'],
    ['says yes only while it is simulated', 7, 'failed'],
    ['says no', 4, 'invalid_exact_evm_payload_signature'],
    ['burns all gas', 5, 'invalid_exact_evm_payload_signature'],
    ['answers a megabyte', 8, 'invalid_exact_evm_payload_signature'],
  ])('of a contract wallet that %s ends as it should', async (_, mood, outcome) => {
    const buyer = await contractBuyer(mood)
    const header = await buyer.sign(await buyer.price(asset))
    if (outcome.startsWith('invalid'))
      return assertRefused(asset, buyer, { status: 402, told: { errorReason: outcome } }, header)
    await eventually(async () => (await buyer.pay(asset, header)).body.state === outcome)
    const { amount } = await buyer.terms(asset)
    expect(await buyer.balance()).toBe(10_000_000n - (outcome === 'ordered' ? BigInt(amount) : 0n))
  })

  it('is refused for contract wallets once too many of their payments failed, and for no other account', async () => {
    const [wallet, honest, account] = [await contractBuyer(7), await contractBuyer(1), await Buyer.with(world, '10')]
    const pay = async (buyer: Buyer) => buyer.pay(asset, await buyer.sign(await buyer.price(asset)))
    const { body } = await pay(wallet)
    const state = `${world.network.providerUrl}/api/services/purchase/${body.id}`
    await eventually(async () => (await ask(state)).json.state === 'failed')
    const before = PURCHASE_LIMITS.underWay.contracts
    PURCHASE_LIMITS.underWay.contracts = 1
    const told = { code: 'PURCHASE_LIMITED', error: expect.stringContaining('contract wallets') }
    expect(await pay(honest)).toMatchObject({ status: 429, retryAfter: '3600', body: told })
    expect(await pay(account)).toMatchObject({ status: 200 })
    PURCHASE_LIMITS.underWay.contracts = before
    expect(await pay(honest)).toMatchObject({ status: 200 })
  })
})
