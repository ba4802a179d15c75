import { type Address, decodeEventLog, type Hex, isAddressEqual, parseAbi } from 'viem'
import type { Payment } from '../purchase.js'
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

/**
 * Returns what the authorization of a payment transferred to an account. One transaction may use several authorizations of a payer: each
 * transfer counts for one of them, or the same tokens would be refunded twice. Tokens tell a use before its transfer, as USDC does, or after.
 */
export function transferredBy({ token, payer, nonce }: Payment, logs: readonly Log[], to: Address): bigint {
  const own = logs.flatMap((log): { log: Log; used?: Hex }[] => {
    const event = eventOf(log, token)
    if (event?.eventName === 'Transfer') return isAddressEqual(event.args.from, payer) ? [{ log }] : []
    if (event?.eventName !== 'AuthorizationUsed' || !isAddressEqual(event.args.authorizer, payer)) return []
    return [{ log, used: event.args.nonce }]
  })
  // its place among the uses, whose transfers are between it and the next or the last one
  const isToldAfter = own.at(-1)?.used !== undefined
  const ordered = isToldAfter ? own.toReversed() : own
  const from = ordered.findIndex(({ used }) => used === nonce)
  const next = ordered.findIndex(({ used }, at) => at > from && used !== undefined)
  const counted = ordered.slice(from + 1, next < 0 ? undefined : next)
  return transferred(
    counted.map(({ log }) => log),
    token,
    { to },
  )
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
