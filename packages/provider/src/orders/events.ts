import { decodeEvents } from '@tidegate/chain'
import type { Address, Hex, Log } from 'viem'
import type { EmittedFee } from './quote.js'

export interface StartedOrder {
  kind: 'started'
  consumer: Address
  payer: Address
  amount: bigint
  serviceIndex: bigint
  /** Time of the order's block, in seconds since 1970. */
  timestamp: bigint
  fee?: EmittedFee
}

export interface ReusedOrder {
  kind: 'reused'
  /** Untrusted: the contract accepts any value from the caller. */
  orderTxId: Hex
  /** Time of the reuse's block, in seconds since 1970. */
  timestamp: bigint
  fee?: EmittedFee
}

/**
 * Returns every order and reuse that this datatoken emitted in the logs of a transaction, each with its provider fee.
 * The contract emits the fee right after its order, so it is never mistaken for that of another order in the same
 * transaction.
 */
export function orderEvents(logs: Log[], datatoken: Address): (StartedOrder | ReusedOrder)[] {
  const emitter = datatoken.toLowerCase()
  const own = logs.filter((log) => log.address.toLowerCase() === emitter)
  const orders: (StartedOrder | ReusedOrder)[] = []
  for (const event of decodeEvents(own)) {
    const current = orders.at(-1)
    if (event.eventName === 'OrderStarted') {
      const { consumer, payer, amount, serviceIndex, timestamp } = event.args
      orders.push({ kind: 'started', consumer, payer, amount, serviceIndex, timestamp })
    } else if (event.eventName === 'OrderReused') {
      const { orderTxId, timestamp } = event.args
      orders.push({ kind: 'reused', orderTxId, timestamp })
    } else if (event.eventName === 'ProviderFee' && current && !current.fee) {
      current.fee = event.args
    }
  }
  return orders
}
