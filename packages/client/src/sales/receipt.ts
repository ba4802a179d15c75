import { describe, termsOf } from '@tidegate/protocol/asset'
import { defined } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import { addressOf } from '../auth/signing.js'
import { chainsOf } from '../chain/contracts.js'
import { servedDocument } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { acceptedIn } from '../terms/acceptance.js'
import type { Asset } from '../types.js'
import { type IndexedOrder, indexedOrders } from './indexed-orders.js'
import { PaymentReader } from './payment-reader.js'
import { matched, saleOf } from './sale.js'
import type { Receipt } from './types.js'

export interface ReceiptOptions {
  /** The chain of the order. Default: found by the provider. */
  chainId?: number | undefined
  /** Number of the order in its transaction, from 1. Default: the last one of the account. */
  number?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Returns the receipt of an order: the asset, all payments with their receivers, accepted terms, and the end of the access. With a wallet,
 * only for an order that its account received, paid or sold. Throws TidegateError `UNKNOWN_CHAIN`, `UNKNOWN_ORDER`,
 * `UNKNOWN_TRANSACTION`, `NOT_YOUR_ORDER`, `CHAIN_UNREACHABLE`.
 *
 * @example
 * const { name, total, expires } = await tidegate.receipt('0x…')
 */
export async function receipt(context: Context, order: Hex, options: ReceiptOptions = {}): Promise<Receipt> {
  const { chainId, number, signal } = options
  const tx = order.toLowerCase() as Hex
  const chains = await chainsOf(context)
  if (chainId !== undefined && !chains.includes(chainId))
    throw new TidegateError(
      'UNKNOWN_CHAIN',
      `chainId: the provider does not serve chain ${chainId}. It serves ${chains.join(', ')}.`,
    )
  const onChain = chainId === undefined ? [] : [{ term: { chainId } }]
  const listed = await indexedOrders(context, [{ term: { orderId: tx } }, ...onChain], signal)
  const rows = listed.filter((row) => row.tx === tx && row.did !== '')
  const [first] = rows
  if (!first) throw await unknownOrder(context, tx, chainId === undefined ? chains : [chainId])
  const reader = await PaymentReader.of(context, first.chainId)
  const pairs = matched(rows, await reader.ordersOfAll(rows, signal))
  const account = context.wallet ? await addressOf(context) : undefined
  if (number !== undefined && (number < 1 || number > pairs.length))
    throw new TidegateError(
      'UNKNOWN_ORDER',
      `order: ${tx} has the orders 1 to ${pairs.length}, and no order ${number}.`,
    )
  for (const [at, { row, order }] of pairs.entries()) {
    const place = { number: pairs.length - at, ordersInTransaction: pairs.length }
    if (number !== undefined && number !== place.number) continue
    const served = await servedDocument(context, row.did).catch(ignoringHidden)
    const asset = served && describe(served)
    const publisher = asset ? { publisher: asset.owner } : {}
    if (account && ![row.consumer, order.payer, asset?.owner].includes(account)) continue
    const sale = await saleOf(reader, row, order, served)
    const sha256 = await acceptedIn(reader.moment, tx, row.datatoken)
    const isCurrent = served && termsOf(context.url, served.document)?.sha256 === sha256
    const terms = sha256 ? { terms: { sha256, ...defined({ isCurrent }) } } : {}
    const started = order.renews ? await startOf(reader, row, order.renews) : order.time
    return {
      ...sale,
      ...place,
      ...publisher,
      ...accessOf(asset, sale.service, started),
      ...terms,
      provider: context.url,
    }
  }
  throw new TidegateError('NOT_YOUR_ORDER', `order: ${tx} belongs to ${first.consumer}, not to ${account}.`)
}

/** Returns the error for an order that the index does not list: whether its transaction exists, if one chain is known. */
async function unknownOrder(context: Context, order: Hex, chains: readonly number[]): Promise<TidegateError> {
  const [chainId] = chains
  // throws if the chain has no such transaction
  if (chains.length === 1 && chainId !== undefined) await (await PaymentReader.of(context, chainId)).ordersOf(order, [])
  return new TidegateError(
    'UNKNOWN_ORDER',
    `order: ${order} is no order of an asset of this provider, on chain ${chains.join(', ')}. A new one is known within a minute.`,
  )
}

/** The buyer keeps the receipt of an asset that the provider withholds. */
function ignoringHidden(error: unknown): undefined {
  if (error instanceof TidegateError && ['ASSET_NOT_FOUND', 'TAKEN_DOWN'].includes(error.code)) return undefined
  throw error
}

/** Returns the time of a renewed order. */
async function startOf(reader: PaymentReader, { datatoken }: IndexedOrder, started: Hex): Promise<Date | undefined> {
  const orders = await reader.ordersOf(started, [datatoken])
  return orders.find(({ renews }) => !renews)?.time
}

/** Returns the service's name and the end of the access. */
function accessOf(asset: Asset | undefined, id: string | undefined, started: Date | undefined) {
  const service = asset?.services.find((one) => one.id === id)
  if (!service) return {}
  const { name, timeout } = service
  const expires = timeout > 0 && started ? { expires: new Date(started.getTime() + timeout * 1000) } : {}
  return { ...(name ? { serviceName: name } : {}), ...expires }
}
