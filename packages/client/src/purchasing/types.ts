import type { Amount } from '@tidegate/protocol/asset'
import type { SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import type { Address, Hex } from 'viem'

/** The price of an order that the provider makes for one signed payment. */
export interface PurchasePrice {
  did: string
  service: string
  /** The only file of the order; undefined for all files. */
  file?: number | undefined
  chainId: number
  /** All of it, with the provider's fee for gas. Symbol and decimals are the token's own claims. */
  amount: Amount
  /** The account of the provider that takes the payment. */
  payTo: Address
}

/** An order that was bought by one signed payment. */
export interface Purchased {
  did: string
  service: string
  /** The order for a download. */
  order: Hex
  /** Whether a valid order was used: nothing was paid. */
  reused: boolean
  /** Without the amount that went back because the price fell meanwhile. */
  paid: Amount[]
  /** The account of the provider that took the payment; undefined with `reused`. */
  payTo?: Address
  /** Receiver of the files: the payer. */
  consumer: Address
  /** A download link, a secret; undefined if the provider gives none now. */
  link?: { url: string; expires: Date }
  /** End of the order; undefined if it is unlimited or unknown. */
  validUntil?: Date
  /** What the provider has signed: checked. Undefined with `reused`, or if it gives no valid one. */
  receipt?: SignedPurchaseReceipt
  /** The provider's name of the purchase; undefined with `reused`. */
  purchaseId?: Hex
}

/** What is bought, and for whom. */
export interface Wanted {
  did: string
  service: string
  file: number | undefined
  /** SHA-256 of the terms that the buyer accepts. */
  terms?: string | undefined
  chainId: number
  datatoken: Address
  payer: Address
}

/**
 * Keeps signed payments until their outcome is known, so that a restarted program sends the same payment again. The texts are
 * secrets. `add` returns the text that is kept now: another program may have added one first.
 */
export interface PaymentStore {
  find(key: string): Promise<string | undefined>
  add(key: string, payment: string): Promise<string>
  /** Removes this text, and no other one. */
  remove(key: string, payment: string): Promise<void>
}

/** What a payment must be: a checked entry `accepts` of the header PAYMENT-REQUIRED (x402, version 2). */
export interface Required {
  chainId: number
  token: Address
  /** In the token's smallest unit. */
  units: bigint
  payTo: Address
  /** Domain of signatures over the token (EIP-712). */
  name: string
  version: string
  /** Seconds for which a payment is valid. */
  valid: number
}

/** A signed authorization to transfer tokens once (EIP-3009). Times in seconds since 1970. */
export interface Payment extends Required {
  from: Address
  nonce: Hex
  /** The authorization is valid in blocks before this time. */
  validBefore: number
  signature: Hex
  /** The name of the payment, which only the payer and the provider know: 32 hexadecimal digits. */
  identifier: string
}

/** A payment of this client, or a valid order that makes one needless. */
export type Made = { order: Hex } | { payment: Payment; isStored: boolean }
