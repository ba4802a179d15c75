import type { Chain, MinedTransaction, Receipts } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import { abortSignal, type Cancellation } from '@tidegate/common'
import { type ErrorCode, OrderError, upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import { orderEvents, type ReusedOrder, type StartedOrder } from './events.js'

/** The order events of a datatoken in a successful, confirmed transaction. */
export interface OrderTransaction {
  events: (StartedOrder | ReusedOrder)[]
}

/** A transaction, and the datatoken of the requested events. */
export interface TransactionQuery {
  chain: Chain
  txId: Hex
  datatoken: Address
}

interface CachedTransaction extends OrderTransaction {
  chainId: number
  block: number
}

/** Code and text of a rejected transaction. */
interface Rejection {
  code: ErrorCode
  message: string
}

export interface OrderTransactionsOptions {
  /** Transactions in the cache. */
  max: number
  /** Confirmations of a final transaction. */
  reorgDepth: number
  /** Milliseconds to wait for an unknown transaction, and time to live of rejections. */
  wait: number
  /** Time of the first expiring quote, in seconds since 1970. */
  quotesEndSince: number
  /** Whether an address is a former provider address of a chain whose key is missing. */
  isMissingKey?: (chain: Chain, address: Address) => boolean
}

/**
 * Reads order transactions. Confirmed ones with events of their datatoken are cached, so that later requests need no
 * chain. Each request decides again who may use an order, and until when. Rejections are cached briefly, so that
 * repeated requests are cheap.
 */
export class OrderTransactions {
  private readonly cache: LRUCache<string, CachedTransaction>
  private readonly negative = new LRUCache<string, OrderTransaction | Rejection>(
    upTo(CHAIN_LIMITS.receipts.missCacheEntries),
  )
  /** Waits that timed out, by transaction and consumer. */
  private readonly timedOut = new LRUCache<string, true>(upTo(CHAIN_LIMITS.receipts.missCacheEntries))

  constructor(
    private readonly receipts: Receipts,
    private readonly options: OrderTransactionsOptions,
  ) {
    this.cache = new LRUCache(upTo(options.max))
  }

  /** Whether an address is a former provider address of a chain whose key is missing. */
  isMissingKey(chain: Chain, address: Address): boolean {
    return this.options.isMissingKey?.(chain, address) ?? false
  }

  /**
   * Reads a transaction. With a consumer, waits for an unknown one. After a timeout, this consumer may wait again `wait`
   * milliseconds later. Waits count per consumer, so that nobody uses up those of others. Throws OrderError, ChainError,
   * or the signal's reason.
   */
  async read(query: TransactionQuery, signal: Cancellation, consumer?: Address): Promise<OrderTransaction> {
    const { chain, txId, datatoken } = query
    const transaction = `${chain.chainId} ${txId.toLowerCase()}`
    const key = `${transaction} ${datatoken}`
    const cached = this.cache.get(key) ?? this.negative.get(key)
    if (cached) return unwrap(cached)
    const claim = `${transaction} ${consumer}`
    const wait = consumer === undefined || this.timedOut.has(claim) ? 0 : this.options.wait
    const mined = await this.receipts.find(chain, txId, wait, abortSignal(signal))
    if (!mined) {
      if (wait > 0) this.timedOut.set(claim, true, { ttl: wait })
      throw new OrderError('ORDER_NOT_FOUND', 'No mined transaction with this id was found on the chain of the asset.')
    }
    return unwrap(this.evaluate(key, mined, query))
  }

  /** Evaluates a mined transaction, and caches the result as long as it is valid. */
  private evaluate(
    key: string,
    { receipt, head }: MinedTransaction,
    { chain, datatoken }: TransactionQuery,
  ): OrderTransaction | Rejection {
    const { reorgDepth, wait } = this.options
    if (receipt.status !== 'success')
      return this.cacheNegative(
        key,
        { code: 'ORDER_REVERTED', message: 'The order transaction failed on-chain.' },
        wait,
      )
    const confirmations = Number(head - receipt.blockNumber) + 1
    // not cached: the next block may confirm it
    if (confirmations < chain.confirmations)
      return {
        code: 'ORDER_UNCONFIRMED',
        message: `The order has ${confirmations} of ${chain.confirmations} confirmations.`,
      }
    const events = orderEvents(receipt.logs, datatoken)
    if (events.length === 0) return this.cacheNegative(key, { events }, wait)
    const entry = { events, chainId: chain.chainId, block: Number(receipt.blockNumber) }
    this.cache.set(key, entry, confirmations < reorgDepth ? { ttl: PROVIDER_LIMITS.orders.unfinalized } : {})
    return entry
  }

  private cacheNegative<T extends OrderTransaction | Rejection>(key: string, result: T, ttl: number): T {
    if (ttl > 0) this.negative.set(key, result, { ttl })
    return result
  }

  get quotesEndSince(): number {
    return this.options.quotesEndSince
  }

  /** Evicts all rejections, and transactions after a block that a reorg replaced. */
  evictAfter(chainId: number, block: number): void {
    for (const [key, entry] of this.cache.entries())
      if (entry.chainId === chainId && entry.block > block) this.cache.delete(key)
    this.negative.clear()
  }
}

function unwrap(result: OrderTransaction | Rejection): OrderTransaction {
  if ('code' in result) throw new OrderError(result.code, result.message)
  return result
}
