import type { Address, Hex, Log } from 'viem'
import { decodeEvents } from '../chain/events.js'
import type { EmittedFee } from './quote.js'

export interface StartedOrder {
  kind: 'started'
  consumer: Address
  payer: Address
  amount: bigint
  serviceIndex: bigint
  /** Seconds since 1970, of the order's block. */
  timestamp: bigint
  fee?: EmittedFee
}

export interface ReusedOrder {
  kind: 'reused'
  /** Whatever the caller named as the order: the contract does not check it. */
  orderTxId: Hex
  /** Seconds since 1970, of the block of the reuse. */
  timestamp: bigint
  fee?: EmittedFee
}

/**
 * Every order and reuse in the logs of a transaction that this very datatoken emitted, each with its own provider
 * fee. The contract emits the fee right after the order it belongs to, so the fee of another order in the same
 * transaction is never taken for it.
 */
export function orderEvents(logs: Log[], datatoken: Address): (StartedOrder | ReusedOrder)[] {
  const emitter = datatoken.toLowerCase()
  const own = logs.filter((log) => log.address.toLowerCase() === emitter)
  const orders: (StartedOrder | ReusedOrder)[] = []
  for (const event of decodeEvents(own)) {
    const open = orders.at(-1)
    if (event.eventName === 'OrderStarted') {
      const { consumer, payer, amount, serviceIndex, timestamp } = event.args
      orders.push({ kind: 'started', consumer, payer, amount, serviceIndex, timestamp })
    } else if (event.eventName === 'OrderReused') {
      const { orderTxId, timestamp } = event.args
      orders.push({ kind: 'reused', orderTxId, timestamp })
    } else if (event.eventName === 'ProviderFee' && open && !open.fee) {
      open.fee = event.args
    }
  }
  return orders
}
