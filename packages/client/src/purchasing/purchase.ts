import { addressOf } from '../auth/signing.js'
import { findOrder } from '../buying/holding.js'
import { assertTimely } from '../buying/quote-time.js'
import { servedDocument, serviceIn } from '../chain/document.js'
import { amountOf, tokenAt, worded } from '../chain/erc20.js'
import { momentOf } from '../chain/moment.js'
import { mustView } from '../chain/reads.js'
import { tokenNamed } from '../chain/tokens.js'
import type { Context } from '../context.js'
import { type Authorization, TidegateError } from '../errors.js'
import { acceptedTerms } from '../terms/acceptance.js'
import { keptPayment } from './kept.js'
import { authorizationOf, signPayment } from './payment.js'
import { type Asked, askPrice, assertAgreed, type PurchasePriceOptions } from './price.js'
import { checkedReceipt } from './receipt.js'
import { isVoid, settle } from './settle.js'
import type { PaymentStore, Purchased, PurchasePrice, Wanted } from './types.js'

export interface PurchaseOptions extends PurchasePriceOptions {
  /** The highest price, in a token given by address or by a symbol of the network's list. */
  maxPrice?: { amount: string; token: string } | undefined
  /** Decides on the price. Nothing is signed unless it returns true. */
  accept?: ((price: PurchasePrice) => boolean | Promise<boolean>) | undefined
  /** SHA-256 of the terms that the buyer accepts. The receipt carries it, and not the order: its transaction is the provider's. */
  acceptTerms?: string | undefined
  /** Called with a description before each step. */
  onStep?: ((step: string) => void) | undefined
  /** Called with a new payment. It is sent only after this has succeeded. */
  onSigned?: ((authorization: Authorization) => void | Promise<void>) | undefined
  /** Keeps a signed payment until its outcome is known. Default: the memory of this client. */
  payments?: PaymentStore | undefined
}

/**
 * Buys an order by one signed payment, without coins of the chain: the provider takes the payment, and orders for the payer. Uses a valid order instead of a new one.
 *
 * Signs at most one payment (EIP-3009) of a purchase while it can be used: if the outcome is not known, the same payment is sent again, also by a later
 * call. With a price, pays at most that; with a DID, what `maxPrice` and `accept` allow. Throws TidegateError: `PRICE_CHANGED`, `PRICE_TOO_HIGH`,
 * `NOT_ACCEPTED`, `TERMS_NOT_ACCEPTED`, `TERMS_CHANGED`, `INSUFFICIENT_TOKENS`, `SIGNATURE_REFUSED` before it signs; then `PAYMENT_REFUSED`, `PAYMENT_EXPIRED`,
 * `PURCHASE_REFUNDED`, and `PAYMENT_UNCERTAIN` if the money may be at the provider. Their `authorization` names the payment.
 *
 * @example
 * const { order } = await tidegate.purchase('did:op:…', { maxPrice: { amount: '3', token: 'USDC' } })
 */
export async function purchase(
  context: Context,
  what: string | PurchasePrice,
  options: PurchaseOptions = {},
): Promise<Purchased> {
  const agreed = typeof what === 'string' ? undefined : what
  const did = agreed?.did ?? (what as string)
  const { maxPrice, accept, onStep, payments: store, signal = new AbortController().signal } = options
  if (!agreed && !maxPrice && !accept)
    throw new TidegateError('BAD_OPTION', 'A purchase needs maxPrice, accept, or a price of purchasePrice.')
  const payer = await addressOf(context)
  const served = await servedDocument(context, did)
  const service = serviceIn(served, agreed?.service ?? options.service)
  const { chainId } = served
  const file = agreed ? agreed.file : options.file
  const terms = options.acceptTerms?.toLowerCase()
  const wanted: Wanted = { did, service: service.id, file, terms, chainId, datatoken: service.datatoken, payer }
  const sign = async () => {
    const request = { did, service: service.id, consumer: payer, file }
    const moment = await momentOf(context, chainId, served.block)
    const { order, providerFee } = await findOrder(context, served, service, request, moment)
    if (order) return { order }
    if (providerFee) await assertTimely(moment, providerFee)
    acceptedTerms(context, served, options.acceptTerms)
    const asked = await askPrice(context, wanted, signal)
    if (agreed) assertAgreed(asked.price, agreed)
    if (maxPrice) await assertWithin(context, asked.price, maxPrice)
    await assertHeld(asked, wanted)
    if (accept && !(await accept(asked.price)))
      throw new TidegateError('NOT_ACCEPTED', 'The price was not accepted. Nothing was paid.')
    signal.throwIfAborted()
    onStep?.(`Sign the payment of ${worded(asked.price.amount)}`)
    const payment = await signPayment(context, asked.required, asked.moment)
    await options.onSigned?.(authorizationOf(payment))
    return payment
  }
  const about = { did, service: service.id, consumer: payer }
  for (;;) {
    const kept = await keptPayment(context, wanted, store, sign)
    if ('order' in kept) return { ...about, order: kept.order, reused: true, paid: [] }
    if (kept.isEarlier && (await isVoid(context, kept.payment))) {
      await kept.forget()
      continue
    }
    const { token, units, payTo } = kept.payment
    onStep?.(kept.isEarlier ? 'Send the payment that was signed before' : 'Send the payment, and wait for the order')
    const settled = await settle(context, wanted, kept, { onStep, signal })
    const { refunded, order, purchaseId, link, validUntil } = settled
    const receipt = await checkedReceipt(settled, wanted, kept)
    const paid = amountOf(await tokenAt(await momentOf(context, chainId), token), units - refunded)
    return {
      ...{ ...about, order, reused: false, paid: [paid], payTo },
      ...(link ? { link } : {}),
      ...(validUntil ? { validUntil } : {}),
      ...(receipt ? { receipt } : {}),
      ...(purchaseId ? { purchaseId } : {}),
    }
  }
}

/** Throws TidegateError `PRICE_TOO_HIGH` for more than the cap, or for another token. */
async function assertWithin(
  context: Context,
  { chainId, amount: price }: PurchasePrice,
  { amount, token }: { amount: string; token: string },
): Promise<void> {
  const [, whole, fraction = ''] = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(amount) ?? []
  if (whole === undefined) throw new TidegateError('BAD_OPTION', 'maxPrice has no amount such as 5 or 5.25.')
  const { decimals, units } = price
  const most = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  const isSame = (await tokenNamed(context, chainId, token)) === price.token
  if (isSame && units <= most) return
  throw new TidegateError(
    'PRICE_TOO_HIGH',
    `The price is ${worded(price)} (token ${price.token}), ${isSame ? `more than ${amount}` : `not in ${token}`}. Nothing was paid.`,
  )
}

/** Throws TidegateError `INSUFFICIENT_TOKENS` if the payer holds less than the price. */
async function assertHeld({ price: { amount }, moment }: Asked, { payer }: Wanted): Promise<void> {
  const held = await mustView(moment, amount.token, 'balanceOf', [payer])
  if (held >= amount.units) return
  const has = amountOf({ ...amount, address: amount.token }, held)
  throw new TidegateError(
    'INSUFFICIENT_TOKENS',
    `Not enough ${amount.symbol}: ${amount.amount} needed, ${has.amount} held.`,
  )
}
