import type { Address, Hex } from 'viem'
import type { Amount } from '../types.js'

/**
 * Receiver of a part of a payment: the publisher, the market that published, the market that bought, the protocol's
 * community, the provider, or the seller of a datatoken outside the known exchanges.
 */
export type PaidTo = 'publisher' | 'market' | 'consumeMarket' | 'protocol' | 'provider' | 'seller'

export interface Payment {
  to: PaidTo
  amount: Amount
  /** Undefined if the contract keeps the amount for its receiver. */
  receiver?: Address
}

/** The payments in an order's transaction. */
export interface Paid {
  /**
   * Source of the datatoken: an exchange, a dispenser (free), or another seller in the same transaction. `held`: it was
   * bought in an earlier transaction, at an unknown price. `renewal`: a new provider fee for an earlier order.
   */
  source: 'exchange' | 'dispenser' | 'other' | 'held' | 'renewal'
  payments: Payment[]
  /** The sum of each token; empty if the transaction paid nothing. */
  total: Amount[]
}

/** An order of an asset, for its publisher. */
export interface Sale extends Paid {
  tx: Hex
  chainId: number
  did: string
  /** Name of the asset; empty if the index hides it. */
  name: string
  /** Id of the service; undefined if the index hides the asset, or the service is gone. */
  service?: string
  datatoken: Address
  consumer: Address
  payer: Address
  time: Date
  /** The order that it renews. */
  renews?: Hex
}

/** The receipt of an order, for its buyer. */
export interface Receipt extends Sale {
  /** Number of the order in its transaction, from 1. */
  number: number
  /** Number of all orders of the transaction. */
  ordersInTransaction: number
  /** Name of the service. */
  serviceName?: string
  /** Publisher of the asset. */
  publisher?: Address
  /** URL of the provider. */
  provider: string
  /**
   * Terms that the order's transaction accepts. `isCurrent`: whether the asset has the same terms now; undefined if the index
   * hides it.
   */
  terms?: { sha256: string; isCurrent?: boolean }
  /** End of the access; undefined if it never ends, or is unknown (without `service`). */
  expires?: Date
}
