import { ONE_DATATOKEN } from '@tidegate/protocol/constants'
import { type Address, decodeEventLog, isAddressEqual, type TransactionReceipt, zeroAddress } from 'viem'
import { BUYING, EVENTS } from '../chain/abi.js'
import { summed, worded } from '../chain/erc20.js'
import { Sender, type SendOptions, type Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { acceptanceOf, acceptedTerms } from '../terms/acceptance.js'
import type { Amount, Bought, Quote } from '../types.js'
import { approve, assertHeld } from './approvals.js'
import type { Market, Offer } from './offers.js'
import { type QuoteOptions, type QuotePlan, quotePlan } from './quote.js'

export interface BuyOptions extends QuoteOptions, SendOptions {
  /** SHA-256 of the terms that the buyer accepts. The order's transaction carries it, as a proof on the chain. */
  acceptTerms?: string | undefined
}

/**
 * Buys and orders, in the fewest transactions that the datatoken's template allows. Each token is approved for the exact
 * payment.
 * Uses a valid order instead of a new one, renews an expired fee, and uses a datatoken that the account holds. Call it again
 * after a failure to resume the purchase.
 * An asset with terms is bought and renewed only with the SHA-256 of the terms in its present document (`acceptTerms`).
 * With a quote, refuses a changed price before it sends anything; on the chain, at most the quoted price can be taken.
 * Throws TidegateError, which names every sent transaction: `PRICE_CHANGED`, `TERMS_NOT_ACCEPTED`, `TERMS_CHANGED`, `INSUFFICIENT_TOKENS`, `INSUFFICIENT_GAS`,
 * `UNAVAILABLE`, `REJECTED`, `NOT_MINED`, …
 *
 * @example
 * const quote = await tidegate.quote('did:op:…')
 * const { order, paid } = await tidegate.buy(quote, { onStep: (step) => console.log(step) })
 */
export async function buy(context: Context, what: string | Quote, options: BuyOptions = {}): Promise<Bought> {
  const quoted = typeof what === 'string' ? undefined : what
  const did = quoted?.did ?? (what as string)
  const chosen = quoted
    ? { ...options, service: quoted.service, consumer: quoted.consumer, file: quoted.file }
    : options
  const current = await quotePlan(context, did, chosen)
  const { quote } = current
  const about = { did, service: quote.service }
  if (quote.order) return { ...about, order: quote.order, reused: true, paid: [], transactions: [] }
  if (quote.price.type === 'unavailable')
    throw new TidegateError(
      'UNAVAILABLE',
      `The datatoken of ${did} is not for sale now: no exchange or dispenser offers it.`,
    )
  if (quoted) assertSame(quoted, quote)
  const terms = acceptedTerms(context, current.served, options.acceptTerms)
  const sender = await Sender.of(context, quote.chainId, options, current.moment)
  await assertHeld(sender, quote.price.total)
  const receipt = await paid(sender, current, { market: options.market, terms })
  assertOrdered(receipt, quote, sender)
  return {
    ...about,
    order: receipt.transactionHash,
    reused: false,
    paid: quote.price.total,
    transactions: sender.sent,
    ...(terms ? { terms } : {}),
  }
}

/**
 * Throws TidegateError `PRICE_CHANGED` if a due part of the price differs from the quote. An earlier attempt may have paid
 * the other parts.
 */
function assertSame(quoted: Quote, now: Quote): void {
  const same = (a: Amount | undefined, b: Amount | undefined) =>
    a?.units === b?.units && (!a || !b || isAddressEqual(a.token, b.token))
  const due = { datatoken: !now.held && !now.renews, publishFee: !now.renews, providerFee: true }
  const parts = (Object.keys(due) as (keyof typeof due)[]).filter((part) => due[part])
  if (parts.every((part) => same(quoted.price[part], now.price[part]))) return
  const [before, after] = [quoted, now].map(({ price }) => price.total.map(worded).join(' and ') || 'nothing')
  throw new TidegateError('PRICE_CHANGED', `The price was ${before} and is ${after} now. Nothing was paid.`)
}

/** Approves and sends the transactions of a purchase. Returns the receipt of the order. */
async function paid(
  sender: Sender,
  { quote, service, plan }: QuotePlan,
  { market, terms }: { market: Market | undefined; terms: string | undefined },
): Promise<TransactionReceipt> {
  const { datatoken, price, renews } = quote
  const fee = { ...quote.providerFee, providerFeeAmount: BigInt(quote.providerFee?.providerFeeAmount ?? 0) }
  const fees = [price.publishFee, price.providerFee]
  const ordering = (functionName: string, args: unknown[]): Transaction => ({
    to: datatoken,
    abi: BUYING,
    functionName,
    args,
    suffix: terms === undefined ? undefined : acceptanceOf(terms),
    what: renews ? 'to renew the order' : 'to order',
  })
  const offer = plan?.offer
  if (renews) {
    await approveAll(sender, datatoken, fees)
    return sender.send(ordering('reuseOrder', [renews, fee]))
  }
  if (offer && combines(plan.template, offer)) {
    await approveAll(sender, datatoken, [price.datatoken, ...fees])
    const order = {
      consumer: quote.consumer,
      serviceIndex: BigInt(service.index),
      providerFee: fee,
      consumeMarketFee: NO_FEE,
    }
    if (offer.kind === 'dispenser') return sender.send(ordering('buyFromDispenserAndOrder', [order, offer.contract]))
    return sender.send(ordering('buyFromFreAndOrder', [order, exchangeOf(offer, market)]))
  }
  if (offer) await acquire(sender, offer, { datatoken, price: price.datatoken, market })
  await approveAll(sender, datatoken, fees)
  return sender.send(ordering('startOrder', [quote.consumer, BigInt(service.index), fee, NO_FEE]))
}

/** No fee of a consuming market. */
const NO_FEE = { consumeMarketFeeAddress: zeroAddress, consumeMarketFeeToken: zeroAddress, consumeMarketFeeAmount: 0n }

function combines({ orderFromDispenser, orderFromExchange }: NonNullable<QuotePlan['plan']>['template'], offer: Offer) {
  return offer.kind === 'dispenser' ? orderFromDispenser : orderFromExchange
}

function exchangeOf({ contract, id, units }: Extract<Offer, { kind: 'exchange' }>, market: Market | undefined) {
  return {
    exchangeContract: contract,
    exchangeId: id,
    maxBaseTokenAmount: units,
    swapMarketFee: market?.share ?? 0n,
    marketFeeAddress: market?.address ?? zeroAddress,
  }
}

/** Gets one datatoken of a template that cannot buy and order in one transaction. */
async function acquire(
  sender: Sender,
  offer: Offer,
  { datatoken, price, market }: { datatoken: Address; price: Amount | undefined; market: Market | undefined },
): Promise<void> {
  const { contract: to } = offer
  const what = 'to buy the datatoken'
  if (offer.kind === 'dispenser') {
    await sender.send({
      to,
      abi: BUYING,
      functionName: 'dispense',
      args: [datatoken, ONE_DATATOKEN, sender.address],
      what,
    })
    return
  }
  await approveAll(sender, to, [price])
  const args = [offer.id, ONE_DATATOKEN, offer.units, market?.address ?? zeroAddress, market?.share ?? 0n]
  await sender.send({ to, abi: BUYING, functionName: 'buyDT', args, what })
}

async function approveAll(sender: Sender, spender: Address, amounts: readonly (Amount | undefined)[]): Promise<void> {
  for (const amount of summed(amounts)) await approve(sender, spender, amount)
}

/** Throws TidegateError `NOT_ORDERED` if a successful transaction made no order: the datatoken is not what it claims. */
function assertOrdered({ logs }: TransactionReceipt, { datatoken }: Quote, { sent }: Sender): void {
  const ordered = logs.some(({ address, topics, data }) => {
    if (!isAddressEqual(address, datatoken)) return false
    try {
      return /^Order/.test(decodeEventLog({ abi: EVENTS, topics, data }).eventName)
    } catch {
      return false
    }
  })
  if (!ordered)
    throw new TidegateError('NOT_ORDERED', 'The transaction succeeded, but contains no order.', { transactions: sent })
}
