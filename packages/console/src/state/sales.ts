import type { Amount } from '@tidegate/client'
import { EXCHANGE, FIXED_RATES, ORDER_STARTED } from '@tidegate/protocol/abi'
import { type Address, erc20Abi, type Hex, type PublicClient, parseAbi } from 'viem'
import { decimalOf } from '../format/amount.js'
import { plainLine } from '../format/hostile.js'
import { CONSOLE_LIMITS } from '../limits.js'
import { readerOf } from './chains.js'

const EVENTS = parseAbi([
  ORDER_STARTED,
  'event Swapped(bytes32 indexed exchangeId, address indexed by, uint256 baseTokenSwappedAmount, uint256 datatokenSwappedAmount, address tokenOutAddress, uint256 marketFeeAmount, uint256 oceanFeeAmount, uint256 consumeMarketFeeAmount)',
])
const RATES = parseAbi([FIXED_RATES, EXCHANGE])
const [ORDER, SWAP] = EVENTS

/** An order with its income. */
export interface Sale {
  datatoken: Address
  tx: Hex
  consumer: Address
  time: Date
  /** Income after all fees. Undefined if the order was free or used an existing datatoken. */
  income?: Amount
}

export interface Sales {
  sales: Sale[]
  /** Whether the node returns only the newest blocks: older sales are missing. */
  incomplete: boolean
}

const { ranges: RECENT } = CONSOLE_LIMITS.requests

/**
 * Returns the orders of datatokens with their income, oldest first. Reads few logs; the library's `sales` reads a receipt for
 * each order. Throws the node's errors.
 */
export async function salesOf(chainId: number, datatokens: readonly Address[]): Promise<Sales> {
  if (datatokens.length === 0) return { sales: [], incomplete: false }
  const client = await readerOf(chainId)
  const head = await client.getBlockNumber()
  for (const range of [head + 1n, ...RECENT]) {
    const fromBlock = head + 1n > range ? head + 1n - range : 0n
    try {
      return { sales: await between(client, datatokens, fromBlock), incomplete: fromBlock > 0n }
    } catch (error) {
      if (range === RECENT.at(-1)) throw error
    }
  }
  return { sales: [], incomplete: true }
}

async function between(client: PublicClient, datatokens: readonly Address[], fromBlock: bigint): Promise<Sale[]> {
  const logs = await client.getLogs({ address: [...datatokens], event: ORDER, fromBlock, strict: true })
  const incomes = new Map<Hex, Amount>()
  for (const datatoken of datatokens)
    for (const [tx, amount] of await incomesOf(client, datatoken, fromBlock)) incomes.set(tx, amount)
  // a node may repeat a log
  const orders = new Map(logs.map((log) => [`${log.transactionHash} ${log.logIndex}`, log]))
  return [...orders.values()].map(({ address, transactionHash: tx, args: { consumer, timestamp } }) => {
    const income = incomes.get(tx)
    return { datatoken: address, tx, consumer, time: new Date(Number(timestamp) * 1000), ...(income ? { income } : {}) }
  })
}

/** Returns the income of a datatoken's exchanges, by transaction. */
async function incomesOf(client: PublicClient, datatoken: Address, fromBlock: bigint): Promise<[Hex, Amount][]> {
  const rates = await client
    .readContract({ address: datatoken, abi: RATES, functionName: 'getFixedRates' })
    .catch(() => [])
  const found: [Hex, Amount][] = []
  for (const { contractAddress: address, id } of rates.slice(0, 5)) {
    const [, , , token] = await client.readContract({ address, abi: RATES, functionName: 'getExchange', args: [id] })
    const { symbol, decimals } = await tokenOf(client, token)
    const logs = await client.getLogs({ address, event: SWAP, args: { exchangeId: id }, fromBlock, strict: true })
    for (const { transactionHash, args } of logs) {
      const fees = args.marketFeeAmount + args.oceanFeeAmount + args.consumeMarketFeeAmount
      const units = args.baseTokenSwappedAmount - fees
      if (units <= 0n) continue
      found.push([transactionHash, { token, symbol, decimals, units, amount: decimalOf(units, decimals) }])
    }
  }
  return found
}

const tokens = new Map<string, Promise<{ symbol: string; decimals: number }>>()

/** Reads symbol and decimals, a token's own claims. */
export function tokenOf(client: PublicClient, address: Address): Promise<{ symbol: string; decimals: number }> {
  const key = `${client.uid}/${address}`
  const known = tokens.get(key)
  if (known) return known
  const asked = Promise.all([
    client.readContract({ address, abi: erc20Abi, functionName: 'symbol' }),
    client.readContract({ address, abi: erc20Abi, functionName: 'decimals' }),
  ]).then(([symbol, decimals]) => ({ symbol: plainLine(symbol, 20) || address.slice(0, 8), decimals }))
  tokens.set(key, asked)
  asked.catch(() => tokens.delete(key))
  return asked
}
