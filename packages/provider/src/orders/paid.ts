import type { Address, Hex } from 'viem'
import type { OrderClaim } from './claim.js'
import type { ReusedOrder, StartedOrder } from './events.js'
import { isOwnQuote } from './quote.js'

/** A provider fee that an order or a reuse paid. */
export interface PaidFee {
  txId: Hex
  /** Position among the orders and reuses of the datatoken in the transaction. */
  position: number
  /** Time of the block, in seconds since 1970. */
  timestamp: number
  /** Consumer of the order. A reuse names none: its claimant. */
  consumer: Address
  token: Address
  /** In the token's smallest unit, above zero. */
  amount: bigint
}

/** Returns the fees of a transaction under quotes of this provider, for the datatoken and service of the claim. */
export function paidFees(events: readonly (StartedOrder | ReusedOrder)[], claim: OrderClaim): PaidFee[] {
  return events.flatMap((event, position) => {
    const { fee } = event
    if (!fee || fee.providerFeeAmount === 0n || !isOwnQuote(fee, claim.chain, claim)) return []
    return {
      txId: claim.txId,
      position,
      timestamp: Number(event.timestamp),
      consumer: event.kind === 'started' ? event.consumer : claim.consumer,
      token: fee.providerFeeToken,
      amount: fee.providerFeeAmount,
    }
  })
}
