import { domainSeparator, isAddressEqual } from 'viem'
import { servedDocument, serviceIn } from '../chain/document.js'
import { amountOf, tokenAt, worded } from '../chain/erc20.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { mustView } from '../chain/reads.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { exchange } from './exchange.js'
import { notPayable, requiredIn } from './required.js'
import type { PurchasePrice, Required, Wanted } from './types.js'

export interface PurchasePriceOptions {
  /** Id of a service. Default: the first of type access. */
  service?: string | undefined
  /** Index of a file. Default: all files. At a fee by size, the order opens no other file. */
  file?: number | undefined
  signal?: AbortSignal | undefined
}

/** A price, and what a payment of it must be. */
export interface Asked {
  price: PurchasePrice
  required: Required
  /** The block of all reads. */
  moment: Moment
}

/** Refusals of a provider that sells no order of the asset for a signed payment, or sells none at all. */
const NOT_OFFERED = new Set(['NOT_OFFERED', 'ROUTE_NOT_FOUND', 'HTTP_ERROR'])

/**
 * Returns the price of an order for one signed payment, without coins of the chain. Undefined if the provider does not sell the asset so.
 * Needs no wallet. Throws TidegateError with the provider's reason if it refuses, and `BAD_ANSWER` for a price that cannot be paid.
 *
 * @example
 * const price = await tidegate.purchasePrice('did:op:…')
 * if (price) console.log(`${price.amount.amount} ${price.amount.symbol}`) // 2.555 USDC
 */
export async function purchasePrice(
  context: Context,
  did: string,
  { service, file, signal }: PurchasePriceOptions = {},
): Promise<PurchasePrice | undefined> {
  const served = await servedDocument(context, did)
  const { id } = serviceIn(served, service)
  try {
    return (await askPrice(context, { did, service: id, file, chainId: served.chainId }, signal)).price
  } catch (error) {
    if (error instanceof TidegateError && error.status === 404 && NOT_OFFERED.has(error.code)) return undefined
    throw error
  }
}

/** Asks for the price, and checks it against the token on the chain. Throws TidegateError. */
export async function askPrice(
  context: Context,
  wanted: Pick<Wanted, 'did' | 'service' | 'file' | 'terms' | 'chainId'>,
  signal?: AbortSignal,
): Promise<Asked> {
  const { did, service, file, chainId } = wanted
  const { status, headers } = await exchange(context, wanted, { signal })
  const required = status === 402 ? requiredIn(headers, chainId) : undefined
  if (!required) throw notPayable(`it asks for no exact payment on chain ${chainId}.`)
  const { token, name, version, units, payTo } = required
  if (units === 0n) throw notPayable('it is zero.')
  const moment = await momentOf(context, chainId)
  const separator = await mustView(moment, token, 'DOMAIN_SEPARATOR', [])
  if (domainSeparator({ domain: { name, version, chainId, verifyingContract: token } }) !== separator)
    throw notPayable(`the token ${token} has another name or version.`)
  const amount = amountOf(await tokenAt(moment, token), units)
  return { price: { did, service, ...(file === undefined ? {} : { file }), chainId, amount, payTo }, required, moment }
}

/** Whether a price is another one: more, or in another token, or to another account. */
export function differs(
  { units, token, payTo }: Pick<Required, 'units' | 'token' | 'payTo'>,
  agreed: Pick<Required, 'units' | 'token' | 'payTo'>,
): boolean {
  return units > agreed.units || !isAddressEqual(token, agreed.token) || !isAddressEqual(payTo, agreed.payTo)
}

/** Throws TidegateError `PRICE_CHANGED` if the price is not the agreed one, or less of it. */
export function assertAgreed(price: PurchasePrice, agreed: PurchasePrice): void {
  const flat = ({ amount: { units, token }, payTo }: PurchasePrice) => ({ units, token, payTo })
  if (price.chainId === agreed.chainId && !differs(flat(price), flat(agreed))) return
  const [before, now] = [agreed, price].map(({ amount, payTo }) => `${worded(amount)} to ${payTo}`)
  throw new TidegateError('PRICE_CHANGED', `The price was ${before}, and is ${now} now. Nothing was paid.`)
}
