import type { Chain } from '@tidegate/chain'
import { PurchaseError } from '@tidegate/protocol'
import { type Address, parseUnits } from 'viem'
import { type Offer, readOffer } from '../shop/offer.js'
import { feeIn } from '../shop/order-calls.js'
import { type PaymentToken, readPaymentToken } from '../shop/payment-token.js'
import type { QuotedSale } from './seller.js'

/** What a purchase costs, and how it would be ordered now. Amounts are in the token's smallest unit. */
export interface Terms {
  quoted: QuotedSale
  offer: Offer
  token: PaymentToken
  providerFee: bigint
  /** What the service keeps for gas. */
  gasFee: bigint
  /** All of it: what the buyer pays. */
  amount: bigint
}

export interface TermsTools {
  chain: Chain
  /** Addresses of the tokens that the operator accepts. */
  accepted: readonly Address[]
  /** In whole tokens, as a decimal text. */
  gasFee: string
}

/** An exchange that sells a datatoken, and its token. */
export type Offered = Pick<Terms, 'offer' | 'token'>

/** Reads the cheapest exchange of a datatoken, and its token. Throws PurchaseError NOT_OFFERED, and ChainError. */
export async function offerFor(datatoken: Address, { chain, accepted }: TermsTools): Promise<Offered> {
  const offer = await readOffer(chain, datatoken, accepted)
  if (offer === 'free') throw notOffered('It is free: order it as usual.')
  if (offer === 'none') throw notOffered('No exchange sells it for a token that this provider takes.')
  const token = await readPaymentToken(chain, offer.token)
  if (!token) throw notOffered('Its token takes no signed payments (EIP-3009).')
  return { offer, token }
}

/** Returns what an order costs that is paid by a signature. Throws PurchaseError NOT_OFFERED. */
export function termsOf(quoted: QuotedSale, { offer, token }: Offered, { gasFee }: TermsTools): Terms {
  const providerFee = feeIn(offer.token, quoted.fee)
  if (providerFee === undefined) throw notOffered('Its provider fee is in another token.')
  const surcharge = parseUnits(gasFee, token.decimals)
  const amount = offer.price + offer.publishFee + providerFee + surcharge
  // a payment of nothing costs gas
  if (amount === 0n) throw notOffered('It is free: order it as usual.')
  return { quoted, offer, token, providerFee, gasFee: surcharge, amount }
}

/** Returns the error of what this service does not sell for a signed payment. */
export function notOffered(why: string): PurchaseError {
  return new PurchaseError('NOT_OFFERED', `The asset is not sold for a signed payment here. ${why}`)
}
