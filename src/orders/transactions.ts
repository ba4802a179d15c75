import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { Chain } from '../chain/chains.js'
import type { Mined, Receipts } from '../chain/receipts.js'
import { type ErrorCode, OrderError } from '../errors.js'
import { orderEvents, type ReusedOrder, type StartedOrder } from './events.js'

/** What one mined, successful and confirmed transaction says about one datatoken. */
export interface OrderTransaction {
  events: (StartedOrder | ReusedOrder)[]
}

/** A transaction, and the datatoken that it is asked about. */
export interface AskedTransaction {
  chain: Chain
  txId: Hex
  datatoken: Address
}

interface Kept extends OrderTransaction {
  chainId: number
  block: number
}

/** What was wrong with a transaction a moment ago. */
interface Wrong {
  code: ErrorCode
  message: string
}

export interface OrderTransactionsOptions {
  /** Transactions that are kept. */
  max: number
  /** Confirmations from which on a transaction is final. */
  reorgDepth: number
  /** Milliseconds that an unknown transaction is waited for, and that it is remembered when it has not come. */
  wait: number
  /** Since when the service names chain and time in its quotes, in seconds since 1970. */
  quotesEndSince: number
}

/** Milliseconds for which a transaction is kept that a reorganisation could still drop. */
const FRESH_TTL = 600_000

/**
 * Reads order transactions. One with events of its datatoken is kept once it has its confirmations, so that later
 * requests on the same order need no chain; who may use it, and until when, is decided anew each time. One that is no
 * good is remembered for a moment, so that repeating a request that is refused costs next to nothing.
 */
export class OrderTransactions {
  private readonly kept: LRUCache<string, Kept>
  private readonly wrong = new LRUCache<string, OrderTransaction | Wrong>({ max: BOUNDS.receipts.missing })
  /** Who has waited in vain for which transaction. */
  private readonly waited = new LRUCache<string, true>({ max: BOUNDS.receipts.missing })

  constructor(
    private readonly receipts: Receipts,
    private readonly options: OrderTransactionsOptions,
  ) {
    this.kept = new LRUCache({ max: options.max })
  }

  /**
   * With a consumer, waits for a transaction that is not known yet, on his behalf: once, and not again for as long.
   * Whoever comes for the first time has his own time to wait, so that nobody can use it up for another one. Throws
   * OrderError, ChainError, or the signal's reason.
   */
  async read(asked: AskedTransaction, signal: AbortSignal, consumer?: Address): Promise<OrderTransaction> {
    const { chain, txId, datatoken } = asked
    const transaction = `${chain.chainId} ${txId.toLowerCase()}`
    const key = `${transaction} ${datatoken}`
    const known = this.kept.get(key) ?? this.wrong.get(key)
    if (known) return told(known)
    const claim = `${transaction} ${consumer}`
    const wait = consumer === undefined || this.waited.has(claim) ? 0 : this.options.wait
    const mined = await this.receipts.find(chain, txId, wait, signal)
    if (!mined) {
      if (wait > 0) this.waited.set(claim, true, { ttl: wait })
      throw new OrderError('ORDER_NOT_FOUND', 'No mined transaction with this id was found on the chain of the asset.')
    }
    return told(this.keep(key, mined, asked))
  }

  /** Reads a transaction, and keeps what it says for as long as that holds. */
  private keep(
    key: string,
    { receipt, head }: Mined,
    { chain, datatoken }: AskedTransaction,
  ): OrderTransaction | Wrong {
    const { reorgDepth, wait } = this.options
    if (receipt.status !== 'success')
      return this.remember(key, { code: 'ORDER_REVERTED', message: 'The order transaction failed on-chain.' }, wait)
    // the head may be asked of the node a moment before the receipt
    const confirmations = Math.max(1, Number(head - receipt.blockNumber) + 1)
    // not remembered: the next block may be what is missing
    if (confirmations < chain.confirmations)
      return {
        code: 'ORDER_UNCONFIRMED',
        message: `The order has ${confirmations} of ${chain.confirmations} confirmations.`,
      }
    const events = orderEvents(receipt.logs, datatoken)
    if (events.length === 0) return this.remember(key, { events }, wait)
    const entry = { events, chainId: chain.chainId, block: Number(receipt.blockNumber) }
    this.kept.set(key, entry, confirmations < reorgDepth ? { ttl: FRESH_TTL } : {})
    return entry
  }

  private remember<T extends OrderTransaction | Wrong>(key: string, what: T, milliseconds: number): T {
    if (milliseconds > 0) this.wrong.set(key, what, { ttl: milliseconds })
    return what
  }

  get quotesEndSince(): number {
    return this.options.quotesEndSince
  }

  /** Forgets what was mined after a block, which a reorganisation replaced, and all that was wrong. */
  forgetAfter(chainId: number, block: number): void {
    for (const [key, kept] of this.kept.entries())
      if (kept.chainId === chainId && kept.block > block) this.kept.delete(key)
    this.wrong.clear()
  }
}

function told(known: OrderTransaction | Wrong): OrderTransaction {
  if ('code' in known) throw new OrderError(known.code, known.message)
  return known
}
