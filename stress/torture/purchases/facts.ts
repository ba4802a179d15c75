import { type Address, type Hex, parseAbi } from 'viem'
import { rpcClient } from '../../../packages/chain/src/rpc/clients.js'
import { PAYMENT_EVENTS } from '../../../packages/purchases/src/chain/token-events.js'
import type { Market } from './market.js'

const BALANCE = parseAbi(['function balanceOf(address) view returns (uint256)'])

export interface Transfer {
  from: Address
  to: Address
  value: bigint
}

/** What the chain itself tells of payments, orders and refunds. */
export interface Facts {
  /** Transactions that used authorizations, by payer and nonce. */
  uses: Map<string, Hex>
  /** Orders by transaction: an order of many at once would be several. */
  orders: Map<Hex, { datatoken: Address; consumer: Address }[]>
  transfers: Transfer[]
  /** Transactions of the purchasing account. */
  sent: number
  balanceOf(token: Address, holder: Address): Promise<bigint>
}

export const useKey = (payer: string, nonce: string) => `${payer} ${nonce}`.toLowerCase()

/** Reads the whole chain. */
export async function factsOf({ torture, token, account }: Market): Promise<Facts> {
  const client = rpcClient(new URL(torture.world.network.rpcUrl))
  const logs = await client.getLogs({ events: PAYMENT_EVENTS, strict: true, fromBlock: 0n, toBlock: 'latest' })
  const facts: Facts = {
    uses: new Map(),
    orders: new Map(),
    transfers: [],
    sent: await client.getTransactionCount({ address: account }),
    balanceOf: (address, holder) =>
      client.readContract({ address, abi: BALANCE, functionName: 'balanceOf', args: [holder] }),
  }
  for (const { eventName, args, address, transactionHash } of logs) {
    if (eventName === 'AuthorizationUsed') facts.uses.set(useKey(args.authorizer, args.nonce), transactionHash)
    if (eventName === 'Transfer' && address.toLowerCase() === token.toLowerCase()) facts.transfers.push(args)
    if (eventName !== 'OrderStarted') continue
    const order = { datatoken: address, consumer: args.consumer }
    facts.orders.set(transactionHash, [...(facts.orders.get(transactionHash) ?? []), order])
  }
  return facts
}
