import { decodeEvents } from '@tidegate/chain'
import type { Address, Hex, Log } from 'viem'
import type { EmittedFee } from './quote.js'

export interface StartedOrder {
  kind: 'started'
  consumer: Address
  payer: Address
  amount: bigint
  serviceIndex: bigint
  /** Time of the block, in seconds since 1970. */
  timestamp: bigint
  fee?: EmittedFee
}

export interface ReusedOrder {
  kind: 'reused'
  /** Untrusted: the caller of the contract may pass any value. */
  orderTxId: Hex
  /** Time of the block, in seconds since 1970. */
  timestamp: bigint
  fee?: EmittedFee
}

/**
 * Returns every order and reuse of a datatoken in the logs of a transaction, with its provider fee. The contract emits a
 * fee right after its order, which distinguishes several orders of a transaction.
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
