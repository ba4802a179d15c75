import { type Address, decodeEventLog, encodeEventTopics, getAddress, type Hex, pad } from 'viem'
import { EVENTS } from '../chain/abi.js'
import type { Moment } from '../chain/moment.js'
import { type Scanned, scanLogs } from '../chain/scan.js'

/** An order from a datatoken's event. */
export interface StartedOrder {
  tx: Hex
  datatoken: Address
  consumer: Address
  payer: Address
  serviceIndex: number
  time: Date
}

export interface OrderQuery {
  consumer: Address
  /** Undefined for all contracts that emit orders. */
  datatoken?: Address | undefined
  /** Earliest time of an order. */
  since?: Date | undefined
}

/** Returns the orders of a consumer, newest first, as far back as the node reads. Throws TidegateError `CHAIN_UNREACHABLE`. */
export function findOrders(moment: Moment, { consumer, datatoken, since }: OrderQuery): Promise<Scanned<StartedOrder>> {
  const [topic] = encodeEventTopics({ abi: EVENTS, eventName: 'OrderStarted' })
  return scanLogs(moment, { topics: [topic, pad(consumer)], address: datatoken, since }, (log) => {
    const { address, topics, data, transactionHash: tx } = log
    const { args } = decodeEventLog({ abi: EVENTS, eventName: 'OrderStarted', topics, data, strict: true })
    const emitter = getAddress(address)
    // a node may ignore the filter
    if (args.consumer !== getAddress(consumer) || (datatoken && emitter !== getAddress(datatoken))) return undefined
    const time = new Date(Number(args.timestamp) * 1000)
    const { payer, serviceIndex } = args
    return { tx, datatoken: emitter, consumer: args.consumer, payer, serviceIndex: Number(serviceIndex), time }
  })
}

/** Returns the transactions in which a caller renewed the provider fee of an order, newest first. */
export async function findRenewals(
  moment: Moment,
  { tx: order, datatoken, time }: StartedOrder,
  caller: Address,
): Promise<Hex[]> {
  const [topic] = encodeEventTopics({ abi: EVENTS, eventName: 'OrderReused' })
  const { found } = await scanLogs(moment, { topics: [topic], address: datatoken, since: time }, (log) => {
    const { topics, data, transactionHash: tx } = log
    const { args } = decodeEventLog({ abi: EVENTS, eventName: 'OrderReused', topics, data, strict: true })
    const own = args.orderTxId === order && args.caller === getAddress(caller)
    return own ? { tx, time: new Date(Number(args.timestamp) * 1000) } : undefined
  })
  return found.map(({ tx }) => tx)
}
