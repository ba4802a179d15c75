import type { Chain, MinedTransaction, Receipts } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import { type ErrorCode, OrderError, upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import { orderEvents, type ReusedOrder, type StartedOrder } from './events.js'

/** The order events of one datatoken in a mined, successful and confirmed transaction. */
export interface OrderTransaction {
  events: (StartedOrder | ReusedOrder)[]
}

/** A transaction, and the datatoken whose events are wanted. */
export interface TransactionQuery {
  chain: Chain
  txId: Hex
  datatoken: Address
}

interface CachedTransaction extends OrderTransaction {
  chainId: number
  block: number
}

/** Why a transaction was rejected. */
interface Rejection {
  code: ErrorCode
  message: string
}

export interface OrderTransactionsOptions {
  /** Capacity of the cache, in transactions. */
  max: number
  /** Confirmations from which on a transaction is final. */
  reorgDepth: number
  /** Milliseconds to wait for an unknown transaction; also the time to live of negative results. */
  wait: number
  /** Since when the service issues expiring quotes, in seconds since 1970. */
  quotesEndSince: number
  /** Whether an address was a provider address of a chain, and its key is not configured. */
  isMissingKey?: (chain: Chain, address: Address) => boolean
}

/** Time to live, in milliseconds, of a cached transaction that a reorganisation could still drop. */
const UNFINALIZED_TTL = 600_000

/**
 * Reads order transactions. Confirmed ones with events of their datatoken are cached, so that later requests on the
 * same order need no chain; who may use an order, and until when, is decided anew each time. Rejected ones are cached
 * for a moment, so that repeating a refused request is cheap.
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

  /** Whether an address was a provider address of a chain, and its key is not configured. */
  isMissingKey(chain: Chain, address: Address): boolean {
    return this.options.isMissingKey?.(chain, address) ?? false
  }

  /**
   * Reads a transaction. With a consumer, waits for an unknown one on their behalf; after a time-out, their next wait
   * is allowed `wait` milliseconds later. Waits are counted per consumer, so that nobody can use up another's. Throws
   * OrderError, ChainError, or the signal's reason.
   */
  async read(query: TransactionQuery, signal: AbortSignal, consumer?: Address): Promise<OrderTransaction> {
    const { chain, txId, datatoken } = query
    const transaction = `${chain.chainId} ${txId.toLowerCase()}`
    const key = `${transaction} ${datatoken}`
    const cached = this.cache.get(key) ?? this.negative.get(key)
    if (cached) return unwrap(cached)
    const claim = `${transaction} ${consumer}`
    const wait = consumer === undefined || this.timedOut.has(claim) ? 0 : this.options.wait
    const mined = await this.receipts.find(chain, txId, wait, signal)
    if (!mined) {
      if (wait > 0) this.timedOut.set(claim, true, { ttl: wait })
      throw new OrderError('ORDER_NOT_FOUND', 'No mined transaction with this id was found on the chain of the asset.')
    }
    return unwrap(this.evaluate(key, mined, query))
  }

  /** Evaluates a mined transaction, and caches the result for as long as it is valid. */
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
    // the head may be older than the receipt
    const confirmations = Math.max(1, Number(head - receipt.blockNumber) + 1)
    // not cached: the next block may confirm it
    if (confirmations < chain.confirmations)
      return {
        code: 'ORDER_UNCONFIRMED',
        message: `The order has ${confirmations} of ${chain.confirmations} confirmations.`,
      }
    const events = orderEvents(receipt.logs, datatoken)
    if (events.length === 0) return this.cacheNegative(key, { events }, wait)
    const entry = { events, chainId: chain.chainId, block: Number(receipt.blockNumber) }
    this.cache.set(key, entry, confirmations < reorgDepth ? { ttl: UNFINALIZED_TTL } : {})
    return entry
  }

  private cacheNegative<T extends OrderTransaction | Rejection>(key: string, result: T, ttl: number): T {
    if (ttl > 0) this.negative.set(key, result, { ttl })
    return result
  }

  get quotesEndSince(): number {
    return this.options.quotesEndSince
  }

  /** Evicts transactions mined after a block, since a reorganisation replaced them, and all negative results. */
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
