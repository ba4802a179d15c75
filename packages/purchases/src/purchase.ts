import { type Address, encodePacked, type Hex, keccak256 } from 'viem'

/** What a buyer signs: an authorization of EIP-3009 to transfer tokens to the purchasing account. Times in seconds since 1970. */
export interface Payment {
  chainId: number
  token: Address
  payer: Address
  /** In the token's smallest unit. */
  value: bigint
  /** The authorization is valid between these times, both excluded. */
  validAfter: number
  validBefore: number
  /** Chosen by the payer; the token accepts each once. */
  nonce: Hex
  signature: Hex
}

/** What is bought. */
export interface Wanted {
  did: string
  service: string
  /** Undefined: all files. */
  file: number | undefined
  /** SHA-256 of the terms that the buyer names as accepted. The first request with a payment decides. */
  terms?: string | undefined
}

/**
 * `received`: written down, and not yet paid. `settled`: its tokens have arrived, and nothing was ordered. `ordered`: the order is on the chain.
 * `refunded`: the tokens went back. `failed`: no tokens have arrived.
 */
export type PurchaseState = 'received' | 'settled' | 'ordered' | 'refunded' | 'failed'

/** Why a purchase fails or is refunded. */
export type Reason =
  | 'PAYMENT_REFUSED'
  | 'PAYMENT_EXPIRED'
  | 'PAYMENT_SHORT'
  | 'PRICE_CHANGED'
  | 'NOT_FOR_SALE'
  | 'DENIED'
  | 'ORDER_FAILED'
  | 'UNAVAILABLE'

/** Why the next step of a purchase waits. */
export const OBSTACLES = [
  'SETTLEMENT_UNDECIDED',
  'ORDER_UNAVAILABLE',
  'TOKENS_LACKING',
  'REFUND_REFUSED',
  'DELIVERY_REFUSED',
  'CHAIN_UNAVAILABLE',
  'OTHER_ACCOUNT',
] as const
export type Obstacle = (typeof OBSTACLES)[number]

/** The record of a purchase. Amounts are in the token's smallest unit, times in milliseconds since 1970. */
export interface Purchase {
  id: Hex
  payment: Payment
  wanted: Wanted
  /** The datatoken that is ordered. */
  datatoken: Address
  /** Whether the payer is a contract, which decides by its own code about its signature. */
  isContract: boolean
  /** Of `payment.value`: what the service keeps for gas. */
  gasFee: bigint
  /** Hash of the payer's own identifier of the payment, a secret. */
  identifier: string | undefined
  state: PurchaseState
  reason: Reason | undefined
  /** Tokens that arrived, went to the order, and went back to the payer. */
  paid: bigint
  spent: bigint
  refunded: bigint
  settleTx: Hex | undefined
  orderTx: Hex | undefined
  refundTx: Hex | undefined
  /** When its tokens had finally arrived; 0 before. */
  settledAt: number
  /** Whether something is left to do or to watch. */
  isOpen: boolean
  /** When the next step is due, after one that had to wait. */
  dueAt: number
  /** Why it had to; undefined once something happens. */
  obstacle: Obstacle | undefined
  createdAt: number
  changedAt: number
  /** Counts the changes of the record. */
  version: number
}

/** A new purchase, without what is yet to happen. */
export type NewPurchase = Pick<Purchase, 'payment' | 'wanted' | 'datatoken' | 'isContract' | 'gasFee' | 'identifier'>

/** Returns the id of the purchase that a payment makes: of what the token accepts once. */
export function purchaseId({ chainId, token, payer, nonce }: Payment): Hex {
  return keccak256(
    encodePacked(
      ['string', 'uint256', 'address', 'address', 'bytes32'],
      ['purchase', BigInt(chainId), token, payer, nonce],
    ),
  )
}

/** Whether two payments say the same. Their signatures may differ: each has a twin. */
export function isSamePayment(one: Payment, other: Payment): boolean {
  return (
    purchaseId(one) === purchaseId(other) &&
    one.value === other.value &&
    one.validAfter === other.validAfter &&
    one.validBefore === other.validBefore
  )
}

/** Whether two requests want the same. */
export function isSameWish(one: Wanted, other: Wanted): boolean {
  return one.did === other.did && one.service === other.service && one.file === other.file
}

/** Tokens of a purchase that the account holds: what arrived and was neither spent nor refunded. */
export const heldOf = ({ paid, spent, refunded }: Purchase): bigint => paid - spent - refunded

/** Returns the tokens of a purchase that are to go to the order or back to the payer. */
export function owedOf(purchase: Purchase): bigint {
  if (!purchase.isOpen) return 0n
  const left = purchase.state === 'ordered' ? heldOf(purchase) - purchase.gasFee : heldOf(purchase)
  return left > 0n ? left : 0n
}
