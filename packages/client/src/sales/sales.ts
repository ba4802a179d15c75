import type { Served } from '@tidegate/protocol/asset'
import { type Address, getAddress, type Hex } from 'viem'
import { addressOf } from '../auth/signing.js'
import { onlyChain } from '../chain/contracts.js'
import { servedDocument } from '../chain/document.js'
import type { Context } from '../context.js'
import { type IndexedOrder, indexedPages } from './indexed-orders.js'
import { createdBy, documentsOf } from './own-assets.js'
import { PaymentReader } from './payment-reader.js'
import { matched, saleOf } from './sale.js'
import type { Sale } from './types.js'

export interface SalesOptions {
  /** The publisher. Default: the wallet's account. */
  owner?: Address | undefined
  /** One asset instead of all assets of the publisher. */
  did?: string | undefined
  /** The chain. Default: that of `did`, or the only chain of the provider. */
  chainId?: number | undefined
  /** Earliest time of an order. */
  since?: Date | undefined
  /** End of the period; orders at this time are left out. */
  until?: Date | undefined
  /** Called with the number of sales that have been read. */
  onProgress?: ((read: number) => void) | undefined
  /** Called if the node does not list the assets created before `before`: sales of hidden assets may be missing. */
  onIncomplete?: ((before: Date) => void) | undefined
  signal?: AbortSignal | undefined
}

/** DIDs in one query of the index, which takes twice as many. */
const DIDS = 1_000
/** Transactions whose receipts are read before their sales are yielded. */
const BATCH = 100

/** The assets whose orders are read. */
export interface SalesScope {
  chainId: number
  dids: readonly string[]
}

/** Returns the assets of a publisher, or one asset. Throws TidegateError `NO_WALLET`, `CHAIN_UNREACHABLE`. */
export async function scopeOf(context: Context, options: SalesOptions): Promise<SalesScope> {
  const { did, onIncomplete = () => undefined } = options
  const only = did === undefined ? undefined : await servedDocument(context, did)
  if (only) return { chainId: only.chainId, dids: [only.did] }
  const owner = options.owner ? getAddress(options.owner) : await addressOf(context)
  const chainId = options.chainId ?? (await onlyChain(context))
  return { chainId, dids: await createdBy(context, owner, { chainId, onIncomplete }) }
}

/**
 * Yields the orders of a publisher's assets, or of one asset, newest first, with the payments of each. The index lists the
 * orders, and the receipts of their transactions have the amounts: a page of receipts is read at a time. Assets beyond the
 * first 1,000 follow in groups, each newest first. Throws TidegateError `NO_WALLET`, `UNKNOWN_TRANSACTION`, `CHAIN_UNREACHABLE`.
 *
 * @example
 * for await (const { time, name, payments } of tidegate.sales({ did: 'did:op:…' })) console.log(time, name, payments)
 */
export async function* sales(context: Context, options: SalesOptions = {}): AsyncGenerator<Sale> {
  yield* salesOf(context, await scopeOf(context, options), options)
}

/** Yields the orders of some assets like `sales`. Leaves out transactions that are known. */
export async function* salesOf(
  context: Context,
  { chainId, dids }: SalesScope,
  { since, until, onProgress, isKnown, signal }: SalesOptions & { isKnown?: (tx: Hex) => boolean },
): AsyncGenerator<Sale> {
  const reader = await PaymentReader.of(context, chainId)
  let read = 0
  for (let at = 0; at < dids.length; at += DIDS) {
    const filter = [{ terms: { did: dids.slice(at, at + DIDS) } }, { term: { chainId } }]
    for await (const listed of indexedPages(context, filter, { since, until, signal })) {
      const page = isKnown ? listed.filter(({ tx }) => !isKnown(tx)) : listed
      const documents = await documentsOf(
        context,
        page.map(({ did }) => did),
      )
      for (const rows of batchesOf(page)) {
        const found = await salesIn(reader, rows, documents, signal)
        read += found.length
        onProgress?.(read)
        yield* found
      }
    }
  }
}

/** Splits rows by transaction into batches. The rows of a transaction stay together. */
function batchesOf(rows: readonly IndexedOrder[]): IndexedOrder[][] {
  const byTx = new Map<Hex, IndexedOrder[]>()
  for (const row of rows) byTx.set(row.tx, [...(byTx.get(row.tx) ?? []), row])
  const batches: IndexedOrder[][] = []
  const all = [...byTx.values()]
  for (let at = 0; at < all.length; at += BATCH) batches.push(all.slice(at, at + BATCH).flat())
  return batches
}

async function salesIn(
  reader: PaymentReader,
  rows: readonly IndexedOrder[],
  documents: ReadonlyMap<string, Served>,
  signal: AbortSignal | undefined,
): Promise<Sale[]> {
  const found = matched(rows, await reader.ordersOfAll(rows, signal))
  return Promise.all(found.map(({ row, order }) => saleOf(reader, row, order, documents.get(row.did))))
}
