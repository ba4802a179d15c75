import { type Address, encodeAbiParameters, encodeEventTopics, parseAbi, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { ordersIn } from './orders-in.js'
import type { PaymentLog } from './payment-events.js'

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Swapped(bytes32 indexed exchangeId, address indexed by, uint256 base, uint256 datatokens, address tokenOut, uint256 marketFee, uint256 oceanFee, uint256 consumeMarketFee)',
  'event OrderStarted(address indexed consumer, address payer, uint256 amount, uint256 serviceIndex, uint256 timestamp, address indexed publishMarketAddress, uint256 blockNumber)',
])
const ONE = 10n ** 18n
const ID = `0x${'07'.repeat(32)}`
const address = (digit: number): Address => `0x${String(digit).repeat(40)}`
const [BUYER, DATATOKEN, OTHER, TOKEN, EXCHANGE, STRANGER] = [1, 2, 3, 4, 5, 6].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const approved = { exchanges: [EXCHANGE], dispensers: [] }

function log(contract: Address, eventName: (typeof ABI)[number]['name'], args: Record<string, unknown>): PaymentLog {
  const { inputs } = ABI.find(({ name }) => name === eventName) as (typeof ABI)[number]
  const plain = inputs.filter((input) => !('indexed' in input && input.indexed))
  const topics = encodeEventTopics({ abi: ABI, eventName, args } as never) as PaymentLog['topics']
  const values = plain.map(({ name }) => args[name])
  return { address: contract, topics, data: encodeAbiParameters(plain, values as never) }
}

const transfer = (token: Address, from: Address, to: Address, value: bigint) =>
  log(token, 'Transfer', { from, to, value })

const bought = (datatoken: Address, base: bigint, exchange = EXCHANGE) => [
  transfer(TOKEN, BUYER, exchange, base),
  transfer(datatoken, zeroAddress, BUYER, ONE),
  log(exchange, 'Swapped', {
    exchangeId: ID,
    by: BUYER,
    base,
    datatokens: ONE,
    tokenOut: datatoken,
    marketFee: 3n,
    oceanFee: 2n,
    consumeMarketFee: 0n,
  }),
]

const ordered = (datatoken: Address, serviceIndex = 0n, timestamp = 1_700_000_000n) =>
  log(datatoken, 'OrderStarted', {
    consumer: BUYER,
    payer: BUYER,
    amount: ONE,
    serviceIndex,
    timestamp,
    publishMarketAddress: zeroAddress,
    blockNumber: 1n,
  })

const read = (logs: PaymentLog[]) => ordersIn(logs, approved, new Set([DATATOKEN, OTHER]))

const parts = (logs: PaymentLog[]) =>
  read(logs).map(({ source, parts }) => [source, ...parts.map(({ to, units }) => [to, units])])

describe('the orders of one transaction', () => {
  it('have the payments of their own datatoken', () => {
    const logs = [...bought(DATATOKEN, 100n), ...bought(OTHER, 70n), ordered(OTHER), ordered(DATATOKEN)]
    expect(parts(logs)).toEqual([
      ['exchange', ['publisher', 65n], ['market', 3n], ['protocol', 2n]],
      ['exchange', ['publisher', 95n], ['market', 3n], ['protocol', 2n]],
    ])
  })

  it('count a purchase for one order only', () => {
    const logs = [...bought(DATATOKEN, 100n), ordered(DATATOKEN, 0n), ordered(DATATOKEN, 1n)]
    expect(read(logs).map(({ source }) => source)).toEqual(['exchange', 'held'])
    expect(read(logs).map(({ serviceIndex }) => serviceIndex)).toEqual([0, 1])
  })

  it('trust no exchange that the router does not name: only the transfers count', () => {
    const refund = transfer(TOKEN, STRANGER, BUYER, 10n)
    expect(parts([...bought(DATATOKEN, 100n, STRANGER), refund, ordered(DATATOKEN)])).toEqual([
      ['other', ['seller', 90n]],
    ])
  })

  it('say that the datatoken was held already', () => {
    expect(parts([ordered(DATATOKEN)])).toEqual([['held']])
  })

  it('are found among thousands of orders that other contracts claim, at once', () => {
    const claimed = Array.from({ length: 10_000 }, () => ordered(STRANGER))
    expect(parts([...claimed, ...bought(DATATOKEN, 100n), ordered(DATATOKEN), ...claimed])).toHaveLength(1)
  })

  it('name few of the tokens that other contracts claim', () => {
    const contract = (at: number) => `0x${(at + 1).toString(16).padStart(40, '0')}` as Address
    const claimed = Array.from({ length: 1_000 }, (_, at) => transfer(contract(at), BUYER, STRANGER, 1n))
    const [order] = read([...claimed, transfer(DATATOKEN, STRANGER, BUYER, ONE), ordered(DATATOKEN)])
    expect(order?.parts).toHaveLength(20)
  })

  it('ignore malformed logs', () => {
    const order = ordered(DATATOKEN)
    const wrong = [null, {}, { ...order, topics: null }, { ...order, data: '0x12' }, { ...order, address: '0x1' }]
    expect(parts([...(wrong as PaymentLog[]), order])).toEqual([['held']])
  })

  it('have a valid time, whatever a contract claims', () => {
    const [order] = read([ordered(DATATOKEN, 0n, 2n ** 256n - 1n)])
    expect(order?.time.toISOString()).toBe('+275760-09-13T00:00:00.000Z')
  })
})
