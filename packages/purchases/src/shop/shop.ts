import type { Purchase, Reason } from '../purchase.js'
import type { Call } from '../records/slot-table.js'

/** How a purchase is ordered. */
export interface OrderPlan {
  /** The next calls, in this order: those that may only follow others are planned when these are final. */
  calls: Call[]
  /** What the calls take of the purchase's token at most, in its smallest unit. */
  most: bigint
}

/** Knows what a purchase costs now, and how it is ordered. */
export interface Shop {
  /** Returns the next calls of an order, or why there is none. `isBought`: the datatoken was bought. Rejects if that is unknown now. */
  plan(purchase: Purchase, isBought: boolean): Promise<OrderPlan | Reason>
}
