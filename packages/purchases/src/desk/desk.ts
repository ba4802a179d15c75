import { setTimeout as sleep } from 'node:timers/promises'
import { LimitError, PurchaseError } from '@tidegate/protocol'
import type { SignedPurchaseReceipt } from '@tidegate/protocol/purchase-receipt'
import { type Address, type Hex, isAddressEqual, parseUnits } from 'viem'
import type { PayingChain } from '../chain/paying-chain.js'
import { settleCall } from '../chain/token-calls.js'
import { PURCHASE_LIMITS } from '../limits.js'
import { isSamePayment, isSameWish, type Payment, type Purchase, purchaseId, type Wanted } from '../purchase.js'
import type { Added, PurchaseStore } from '../records/purchase-table.js'
import { PaymentRefused } from './payment-refused.js'
import { type ReceiptSigner, signedReceipt } from './receipt.js'
import { RecentOffers } from './recent-offers.js'
import type { Seller } from './seller.js'
import { notOffered, type Terms, type TermsTools, termsOf } from './terms.js'

const { askAgain } = PURCHASE_LIMITS

/** A chain on which this service buys for others. */
export interface DeskChain extends TermsTools {
  paying: PayingChain
  /** The purchasing account, which signs receipts. */
  signer: ReceiptSigner
  /** The most that one token may take in a day, in whole tokens. */
  daily: string
  /** The most that a transaction may pay for a unit of gas, in wei. */
  ceiling: bigint
}

interface DeskOptions {
  seller: Seller
  purchases: PurchaseStore
  chains: ReadonlyMap<number, DeskChain>
}

const { left, ahead } = PURCHASE_LIMITS.payment

/** Takes payments: returns the price of a purchase, and writes it down if the payment is good. */
export class PurchaseDesk {
  private readonly offers = new RecentOffers()

  constructor(private readonly options: DeskOptions) {}

  /** Returns what a purchase costs, and the account to pay. Throws PurchaseError NOT_OFFERED, ProviderError of the quote, ChainError. */
  async terms(wanted: Wanted, consumer?: Address): Promise<Terms & { payTo: Address }> {
    const { seller, chains } = this.options
    const quoted = await seller.quote(wanted, consumer)
    const on = chains.get(quoted.chainId)
    if (!on) throw notOffered('This provider takes signed payments on other chains only.')
    const offered = await this.offers.of(quoted.datatoken, on)
    return { ...termsOf(quoted, offered, on), payTo: on.paying.account }
  }

  /**
   * Writes a purchase down, or returns the record of the same payment. Nothing is settled yet. Throws PaymentRefused, PurchaseError, and what
   * `terms` throws.
   */
  async take(wanted: Wanted, payment: Payment, payTo: Address, identifier: string | undefined): Promise<Added> {
    const known = await this.options.purchases.find(purchaseId(payment))
    if (known) return { purchase: assertSame(known, { wanted, payment }), isNew: false }
    const on = this.options.chains.get(payment.chainId)
    if (!on) throw new PaymentRefused('invalid_exact_evm_network_mismatch')
    const terms = await this.terms(wanted, payment.payer)
    const { head } = await on.paying.view()
    assertFits(payment, payTo, terms, head.time)
    const before = await this.options.purchases.open(payment.chainId)
    await assertAffordable(on, before.filter(({ state }) => state === 'received' || state === 'settled').length)
    await assertSettles(on.paying, payment)
    const { datatoken } = terms.quoted
    const isContract = await on.paying.hasCode(payment.payer)
    const fresh = { wanted, payment, datatoken, isContract, gasFee: terms.gasFee, identifier }
    const added = await this.options.purchases.add(fresh, parseUnits(on.daily, terms.token.decimals), Date.now())
    if (added === 'payer') throw limited('Too many purchases of this account are under way.', askAgain.underWay)
    if (added === 'failed') throw limited('Too many purchases of this account failed today.', askAgain.failed)
    if (added === 'contracts') throw limited('Too many payments of contract wallets failed today.', askAgain.failed)
    if (added === 'asset') throw limited('Too many orders of this asset failed today.', askAgain.failed)
    if (added === 'busy' || added === 'daily')
      throw new PurchaseError('PURCHASE_UNAVAILABLE', 'This provider takes no more payments now. Nothing was paid.')
    return { ...added, purchase: assertSame(added.purchase, { wanted, payment }) }
  }

  /** Returns a purchase by its id. Throws PurchaseError PURCHASE_NOT_FOUND. */
  async find(id: Hex): Promise<Purchase> {
    const found = await this.options.purchases.find(id)
    if (!found) throw new PurchaseError('PURCHASE_NOT_FOUND', 'This provider knows no purchase with this id.')
    return found
  }

  /** Returns the signed receipt of a purchase; undefined unless it is ordered. */
  async receipt(purchase: Purchase): Promise<SignedPurchaseReceipt | undefined> {
    const on = this.options.chains.get(purchase.payment.chainId)
    return on && signedReceipt(purchase, on.signer)
  }

  /** Waits until a purchase has an outcome, at most for a time in milliseconds. Returns it as it is then. Throws the signal's reason. */
  async wait(id: Hex, time: number, signal: AbortSignal): Promise<Purchase> {
    const end = Date.now() + time
    for (let pause = 100; ; pause = Math.min(1000, pause * 1.5)) {
      const purchase = await this.find(id)
      const remaining = end - Date.now()
      if (isDecided(purchase) || remaining <= 0) return purchase
      await sleep(Math.min(pause, remaining), undefined, { signal })
    }
  }
}

/** Whether the buyer can be told how a purchase ended: what is not known has not failed. */
export function isDecided({ state }: Purchase): boolean {
  return state === 'ordered' || state === 'refunded' || state === 'failed'
}

function limited(reason: string, seconds: number): LimitError {
  return new LimitError('PURCHASE_LIMITED', `${reason} Nothing was paid. Try again in ${seconds} seconds.`, seconds)
}

function assertSame(purchase: Purchase, { wanted, payment }: { wanted: Wanted; payment: Payment }): Purchase {
  if (isSamePayment(purchase.payment, payment) && isSameWish(purchase.wanted, wanted)) return purchase
  throw new PurchaseError('PURCHASE_CONFLICT', 'This payment was made before, for something else or with other values.')
}

/** Throws PaymentRefused if a payment does not fit the terms. `now`: as the token sees it, by the newest block, in seconds since 1970. */
function assertFits(
  { chainId, token, value, validAfter, validBefore }: Payment,
  payTo: Address,
  terms: Terms & { payTo: Address },
  now: number,
) {
  if (chainId !== terms.quoted.chainId || !isAddressEqual(token, terms.token.address))
    throw new PaymentRefused('invalid_exact_evm_network_mismatch')
  if (!isAddressEqual(payTo, terms.payTo)) throw new PaymentRefused('invalid_exact_evm_payload_recipient_mismatch')
  if (value < terms.amount) throw new PaymentRefused('invalid_exact_evm_payload_authorization_value')
  if (validAfter >= now) throw new PaymentRefused('invalid_exact_evm_payload_authorization_valid_after')
  if (validBefore < now + left || validBefore > now + ahead)
    throw new PaymentRefused('invalid_exact_evm_payload_authorization_valid_before')
}

/** Returns the most gas that the transactions of one purchase take. */
export function gasOfPurchase(): number {
  const { approve, buy, order, transfer } = PURCHASE_LIMITS.gas
  return 2 * (approve + transfer) + buy + order
}

/** Throws PurchaseError if the account cannot pay for the gas of another purchase, beside those that are under way. */
async function assertAffordable({ paying, ceiling }: DeskChain, underWay: number): Promise<void> {
  const [price, coins] = await Promise.all([paying.price(), paying.coins()])
  if (price <= ceiling && coins >= price * BigInt((underWay + 1) * gasOfPurchase())) return
  throw new PurchaseError(
    'PURCHASE_UNAVAILABLE',
    'This provider cannot pay for the gas of a purchase now. Nothing was paid.',
  )
}

/** Throws PaymentRefused if the token would not transfer what a payment authorizes. */
async function assertSettles(paying: PayingChain, payment: Payment): Promise<void> {
  if ((await paying.gasOf(settleCall(payment, paying.account))) !== undefined) return
  const use = await paying.authorization(payment, await paying.view())
  if (use !== 'unused') throw new PaymentRefused('invalid_exact_evm_nonce_already_used')
  const isPoor = (await paying.balance(payment.token, payment.payer)) < payment.value
  throw new PaymentRefused(isPoor ? 'insufficient_funds' : 'invalid_exact_evm_payload_signature')
}
