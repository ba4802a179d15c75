import type { Address, Hex } from 'viem'
import type { Payment } from '../purchase.js'
import type { Call, PurchasingAccount } from '../records/slot-table.js'
import type { NonceUser } from './nonce-use.js'

/** Where the chain is now. Times are in seconds since 1970. */
export interface ChainView {
  /** The newest block, and the number of transactions of the account up to it. */
  head: { block: number; time: number; nonce: number }
  /** The newest final block: the chain does not replace it. */
  final: { block: number; time: number }
}

/** An event of a contract. */
export interface Log {
  address: Address
  topics: readonly Hex[]
  data: Hex
}

/** A transaction in a block of the chain. */
export interface Mined {
  block: number
  isSuccess: boolean
  logs: readonly Log[]
}

/**
 * What the chain knows of an authorization: the transaction that used it is in a final block. `untold`: no final block since the payment has
 * an event of it, while the token does not say that it is unused.
 */
export type AuthorizationUse = 'unused' | 'canceled' | 'undecided' | 'untold' | { tx: Hex }

/**
 * The chain as the purchasing account sees it. Everything that a purchase depends on is what as many nodes say as must agree. Rejects
 * with ChainError if that is unknown now.
 */
export interface PayingChain extends PurchasingAccount {
  view(): Promise<ChainView>
  /** Returns what a transaction must offer for a unit of gas now, in wei. */
  price(): Promise<bigint>
  /** Returns the account's balance of the chain's coin, in wei. */
  coins(): Promise<bigint>
  /** Returns how much of a token an account holds; by default the purchasing account. */
  balance(token: Address, holder?: Address): Promise<bigint>
  /** Whether an account is a contract. */
  hasCode(address: Address): Promise<boolean>
  /** Returns the gas of a call in the newest block; undefined if it reverts. */
  gasOf(call: Pick<Call, 'to' | 'data'>): Promise<number | undefined>
  sign(call: Call, nonce: number, price: bigint): Promise<{ hash: Hex; raw: Hex }>
  /** Sends a transaction; resolves also if a node has it. */
  send(raw: Hex): Promise<void>
  /** Returns a transaction that is in a block of the chain. */
  mined(hash: Hex): Promise<Mined | undefined>
  /** Returns the transaction of the account with a nonce in a final block; undefined if there is none, or it cannot be found. */
  userOf(nonce: number, view: ChainView): Promise<NonceUser | undefined>
  authorization(payment: Payment, view: ChainView): Promise<AuthorizationUse>
}
