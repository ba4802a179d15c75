import * as abi from '@tidegate/protocol/abi'
import { type Address, decodeEventLog, getAddress, type Hex, parseAbi, toEventSelector } from 'viem'

/** Events of an order's transaction that show its payments. */
const PAYMENTS = /* @__PURE__ */ parseAbi([
  abi.ORDER_STARTED,
  abi.ORDER_REUSED,
  abi.PROVIDER_FEE,
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event PublishMarketFee(address indexed receiver, address indexed token, uint256 amount)',
  'event ConsumeMarketFee(address indexed receiver, address indexed token, uint256 amount)',
  'event ConsumeMarketFee(bytes32 indexed exchangeId, address to, address token, uint256 amount)',
  'event Swapped(bytes32 indexed exchangeId, address indexed by, uint256 base, uint256 datatokens, address tokenOut, uint256 marketFee, uint256 oceanFee, uint256 consumeMarketFee)',
  'event TokenCollected(bytes32 indexed exchangeId, address indexed to, address indexed token, uint256 amount)',
  'event TokensDispensed(address indexed datatoken, address indexed user, uint256 amount)',
])

/** A log of a transaction. */
export interface PaymentLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

type Decoded = ReturnType<typeof decodeEventLog<typeof PAYMENTS>>

/** An event with its contract. An event counts for one order only. */
export type PaymentEvent = Decoded & { contract: Address; isUsed: boolean }

/** Decodes the logs of a transaction. Skips other events, and malformed logs. */
export function paymentEvents(logs: readonly PaymentLog[]): PaymentEvent[] {
  // each event alone: a search among all hashes their signatures for every log
  const byTopic = new Map(PAYMENTS.map((event) => [toEventSelector(event), [event] as unknown]))
  return logs.flatMap((log) => {
    try {
      const { address, data } = log
      const topics = log.topics as [Hex, ...Hex[]]
      const abi = byTopic.get(topics[0]) as typeof PAYMENTS | undefined
      if (!abi) return []
      const event = decodeEventLog({ abi, topics, data })
      return [{ ...event, contract: getAddress(address), isUsed: false }]
    } catch {
      return []
    }
  })
}

/** The events with one name. */
export type Named<N extends Decoded['eventName']> = PaymentEvent & Extract<Decoded, { eventName: N }>

/** Returns the unused events with a name that meet a condition, in order. */
export function unused<N extends Decoded['eventName']>(
  events: readonly PaymentEvent[],
  name: N,
  meets: (event: Named<N>) => boolean = () => true,
): Named<N>[] {
  return events.filter(
    (event): event is Named<N> => !event.isUsed && event.eventName === name && meets(event as Named<N>),
  )
}
