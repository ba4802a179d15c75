import type { Served, ServedService } from '@tidegate/protocol/asset'
import { type Address, getAddress } from 'viem'
import { addressOf } from '../auth/signing.js'
import { servedDocument, serviceIn } from '../chain/document.js'
import { summed } from '../chain/erc20.js'
import { type Moment, momentOf } from '../chain/moment.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Price, Quote } from '../types.js'
import { findOrder } from './holding.js'
import type { Market } from './offers.js'
import { type Plan, planOf } from './price.js'
import { assertTimely } from './quote-time.js'

export interface QuoteOptions {
  /** Id of a service. Default: the first of type access. */
  service?: string | undefined
  /** Index of an available file. Default: all files. At a fee by size, the order opens no other file. */
  file?: number | undefined
  /** Receiver of the files. Default: the wallet's account. */
  consumer?: Address | undefined
  /** Compute environment, for a service of type compute. */
  environment?: string | undefined
  /** End of a compute order, in seconds since 1970. */
  validUntil?: number | undefined
  /** A consuming market, whose share the buyer pays on top. */
  market?: Market | undefined
}

/** A quote and the way to pay it. */
export interface QuotePlan {
  quote: Quote
  served: Served
  service: ServedService
  /** Undefined if nothing is due. */
  plan: Plan | undefined
  /** The block of all reads. */
  moment: Moment
}

/**
 * Returns the full price of an order: the datatoken with all exchange fees, the publisher's fee, and the provider's signed
 * fee. Only reads, and asks for no signature.
 * With a valid order, `order` is set and the total is empty. If only the provider fee has expired, the price is that fee.
 * Throws TidegateError with the provider's reason if it refuses (`CREDENTIALS_DENIED`, `FILE_UNAVAILABLE`,
 * `ASSET_NOT_CONSUMABLE`, …), and `QUOTE_TIME_WRONG` for a quote that must not be paid.
 *
 * @example
 * const quote = await tidegate.quote('did:op:…')
 * quote.price.total.map(({ amount, symbol }) => `${amount} ${symbol}`) // ['5.01 OCEAN', '0.2 USDC']
 */
export async function quote(context: Context, did: string, options: QuoteOptions = {}): Promise<Quote> {
  return (await quotePlan(context, did, options)).quote
}

/** Like `quote`, with the way to pay. */
export async function quotePlan(context: Context, did: string, options: QuoteOptions): Promise<QuotePlan> {
  const buyer = context.wallet ? await addressOf(context) : undefined
  const consumer = options.consumer ? getAddress(options.consumer) : buyer
  if (!consumer) throw new TidegateError('NO_WALLET', 'A quote needs a wallet, or a consumer.')
  const served = await servedDocument(context, did)
  const service = serviceIn(served, options.service)
  const { file, environment, validUntil, market } = options
  const request = { did, service: service.id, consumer, file, environment, validUntil }
  const { chainId } = served
  const { datatoken } = service
  const about = { did, service: service.id, chainId, datatoken, consumer, ...(file === undefined ? {} : { file }) }
  const moment = await momentOf(context, chainId, served.block)
  const { order, providerFee, presents, renews, unusable } = await findOrder(context, served, service, request, moment)
  const asked = presents ? { presents } : {}
  if (order) return { quote: { ...about, price: NOTHING, order, ...asked }, served, service, plan: undefined, moment }
  if (providerFee) await assertTimely(moment, providerFee)
  const lost = { ...(unusable ? { unusable } : {}), ...asked }
  const plan = await planOf(context, { chainId, datatoken, providerFee, buyer: buyer ?? consumer, market }, moment)
  const { price, held } = plan
  if (renews)
    return { quote: { ...about, price: feeAlone(price), providerFee, renews, ...lost }, served, service, plan, moment }
  return { quote: { ...about, price, providerFee, ...(held ? { held } : {}), ...lost }, served, service, plan, moment }
}

const NOTHING: Price = { type: 'free', total: [] }

function feeAlone({ providerFee }: Price): Price {
  return providerFee ? { type: 'free', providerFee, total: summed([providerFee]) } : NOTHING
}
