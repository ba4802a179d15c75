import { type Address, decodeFunctionData, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem'
import type { Log } from '../../src/chain/paying-chain.js'
import { TOKEN_CALLS } from '../../src/chain/token-calls.js'
import { PAYMENT_EVENTS } from '../../src/chain/token-events.js'

/** The calls of the simulated datatoken: an order in one transaction, or in two. */
export const SHOP_CALLS = parseAbi([
  'function buyAndOrder(address consumer, uint256 most)',
  'function buy(address consumer, uint256 most)',
  'function order(address consumer)',
])

/** The purchasing account, what a purchase leaves it for gas, and the tokens that it holds from the beginning. */
export const ACCOUNT: Address = `0x${'ac'.repeat(20)}`
export const GAS_FEE = 10n
export const FLOAT = 1_000n

export const TOKEN: Address = `0x${'70'.repeat(20)}`
export const SELLER: Address = `0x${'5e'.repeat(20)}`

/** The state of the simulated contracts: one token with EIP-3009, and datatokens that are sold for it. */
export interface Ledger {
  balances: Map<string, bigint>
  allowances: Map<string, bigint>
  authorizations: Map<string, 'used' | 'canceled'>
  /** Datatokens by their holder and contract. */
  datatokens: Map<string, number>
  /** Price by datatoken; none: not for sale. */
  prices: Map<string, bigint>
}

export const emptyLedger = (): Ledger => ({
  ...{
    balances: new Map(),
    allowances: new Map(),
    authorizations: new Map(),
    datatokens: new Map(),
    prices: new Map(),
  },
})

/** A copy for each block and transaction: `structuredClone` takes many times as long. */
export const copyOf = (ledger: Ledger): Ledger =>
  Object.fromEntries(Object.entries(ledger).map(([name, map]) => [name, new Map(map)])) as never

export class Reverted extends Error {}

/** What a hostile token does instead. */
export interface TokenTemper {
  /** Taken of each transfer, in per cent. */
  tax: bigint
  /** Accounts that get nothing. */
  blocked: Set<string>
  /** A transfer to them succeeds and moves nothing. */
  isSilent: boolean
}

export const pairOf = (one: string, other: string) => `${one.toLowerCase()}:${other.toLowerCase()}`
const balanceOf = ({ balances }: Ledger, who: string) => balances.get(who.toLowerCase()) ?? 0n

/** Runs a call on the ledger. Returns its events. Throws Reverted, after which the ledger must be dropped. */
export function execute(
  ledger: Ledger,
  from: Address,
  to: Address,
  data: Hex,
  time: number,
  temper: TokenTemper,
): Log[] {
  if (data === '0x') return []
  const logs: Log[] = []
  const move = (source: Address, target: Address, value: bigint) => moved(ledger, source, target, value, temper, logs)
  if (to === TOKEN) {
    const { functionName, args } = decodeFunctionData({ abi: TOKEN_CALLS, data })
    if (functionName === 'approve') ledger.allowances.set(pairOf(from, args[0]), args[1])
    if (functionName === 'transfer') move(from, args[0], args[1])
    if (functionName === 'transferWithAuthorization') {
      const [payer, payee, value, , before, nonce] = args
      const key = pairOf(payer, nonce)
      if (ledger.authorizations.has(key) || time >= Number(before)) throw new Reverted('authorization')
      ledger.authorizations.set(key, 'used')
      logs.push(event('AuthorizationUsed', { authorizer: payer, nonce }))
      move(payer, payee, value)
    }
    return logs
  }
  if (data.startsWith('0xa9059cbb')) return handedOver(ledger, from, to, data)
  const { functionName, args } = decodeFunctionData({ abi: SHOP_CALLS, data })
  if (functionName !== 'order') pay(ledger, from, to, args[1] as bigint, move)
  if (functionName === 'buy') give(ledger, from, to, 1)
  if (functionName === 'order') give(ledger, from, to, -1)
  if (functionName !== 'buy') logs.push(orderStarted(to, args[0], from))
  return logs
}

function pay(
  ledger: Ledger,
  from: Address,
  shop: Address,
  most: bigint,
  move: (a: Address, b: Address, v: bigint) => void,
) {
  const price = ledger.prices.get(shop)
  const allowed = ledger.allowances.get(pairOf(from, shop)) ?? 0n
  if (price === undefined || price > most || price > allowed) throw new Reverted('not for sale')
  ledger.allowances.set(pairOf(from, shop), allowed - price)
  move(from, SELLER, price)
}

function give({ datatokens }: Ledger, holder: Address, contract: Address, count: number) {
  const left = (datatokens.get(pairOf(holder, contract)) ?? 0) + count
  if (left < 0) throw new Reverted('no datatoken')
  datatokens.set(pairOf(holder, contract), left)
}

function handedOver(ledger: Ledger, from: Address, contract: Address, data: Hex): Log[] {
  const { args } = decodeFunctionData({ abi: TOKEN_CALLS, data })
  give(ledger, from, contract, -1)
  give(ledger, args[0] as Address, contract, 1)
  return []
}

function moved(
  ledger: Ledger,
  from: Address,
  to: Address,
  value: bigint,
  { tax, blocked, isSilent }: TokenTemper,
  logs: Log[],
) {
  if (blocked.has(to.toLowerCase())) {
    if (isSilent) return
    throw new Reverted('blocked')
  }
  if (balanceOf(ledger, from) < value) throw new Reverted('balance')
  const arriving = value - (value * tax) / 100n
  ledger.balances.set(from.toLowerCase(), balanceOf(ledger, from) - value)
  ledger.balances.set(to.toLowerCase(), balanceOf(ledger, to) + arriving)
  logs.push({
    ...event('Transfer', { from, to }),
    data: encodeAbiParameters([{ type: 'uint256' }], [arriving]),
  })
}

function event(eventName: 'Transfer' | 'AuthorizationUsed', args: Record<string, Hex>): Log {
  const topics = encodeEventTopics({ abi: PAYMENT_EVENTS, eventName, args } as never) as Hex[]
  return { address: TOKEN, topics, data: '0x' }
}

function orderStarted(address: Address, consumer: Address, payer: Address): Log {
  const args = { consumer, publishMarketAddress: SELLER }
  const topics = encodeEventTopics({ abi: PAYMENT_EVENTS, eventName: 'OrderStarted', args }) as Hex[]
  const types = [{ type: 'address' }, ...Array.from({ length: 4 }, () => ({ type: 'uint256' }))]
  return { address, topics, data: encodeAbiParameters(types, [payer, 1n, 0n, 0n, 0n] as never) }
}
