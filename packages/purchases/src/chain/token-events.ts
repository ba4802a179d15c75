import { type Address, decodeEventLog, isAddressEqual, parseAbi } from 'viem'
import type { Log } from './paying-chain.js'

/** The events that tell what a transaction did with tokens, authorizations and orders. */
export const PAYMENT_EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event OrderStarted(address indexed consumer, address payer, uint256 amount, uint256 serviceIndex, uint256 timestamp, address indexed publishMarketAddress, uint256 blockNumber)',
])

/** Returns the sum of the transfers of a token that the events tell, from or to the accounts that are named. */
export function transferred(
  logs: readonly Log[],
  token: Address,
  { from, to }: { from?: Address; to?: Address },
): bigint {
  return logs.reduce((sum, log) => {
    const event = eventOf(log, token)
    if (event?.eventName !== 'Transfer') return sum
    const { args } = event
    const counts = (!from || isAddressEqual(args.from, from)) && (!to || isAddressEqual(args.to, to))
    return counts ? sum + args.value : sum
  }, 0n)
}

/** Whether the events tell that a datatoken started an order for a consumer. */
export function hasOrdered(logs: readonly Log[], datatoken: Address, consumer: Address): boolean {
  return logs.some((log) => {
    const event = eventOf(log, datatoken)
    return event?.eventName === 'OrderStarted' && isAddressEqual(event.args.consumer, consumer)
  })
}

function eventOf({ address, topics, data }: Log, emitter: Address) {
  if (!isAddressEqual(address, emitter)) return undefined
  try {
    return decodeEventLog({ abi: PAYMENT_EVENTS, topics: topics as [], data })
  } catch {
    return undefined
  }
}
