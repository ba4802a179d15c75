import type { Address } from 'viem'
import type { Wanted } from '../purchase.js'
import type { SignedFee } from '../shop/order-calls.js'

/** What the service tells of an order that somebody wants. */
export interface QuotedSale {
  chainId: number
  datatoken: Address
  serviceIndex: number
  fee: SignedFee
}

/** The service as the seller: knows assets, rules and fees. */
export interface Seller {
  /**
   * Quotes an order as `initialize` does. Without a consumer, what depends on one is not checked. Throws ProviderError: the reason why it
   * is not sold, or not now.
   */
  quote(wanted: Wanted, consumer: Address | undefined): Promise<QuotedSale>
}
