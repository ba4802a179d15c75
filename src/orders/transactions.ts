import { LRUCache } from 'lru-cache'
import type { Address, Hex } from 'viem'
import { type Chain, waitForReceipt } from '../chain/chains.js'
import { OrderError } from '../errors.js'
import { orderEvents, type ReusedOrder, type StartedOrder } from './events.js'

/** What one mined, successful and confirmed transaction says about one datatoken. */
export interface OrderTransaction {
  events: (StartedOrder | ReusedOrder)[]
}

interface Kept extends OrderTransaction {
  chainId: number
  block: number
}

/** Milliseconds for which a transaction is kept that a reorganisation could still drop. */
const FRESH_TTL = 600_000

/**
 * Reads order transactions. One with events of its datatoken is kept once it has its confirmations, so that later
 * requests on the same order need no chain; who may use it, and until when, is decided anew each time.
 */
export class OrderTransactions {
  private readonly kept: LRUCache<string, Kept>

  /**
   * `reorgDepth`: confirmations from which on a transaction is final. `quotesEndSince`: since when the service names
   * chain and time in its quotes, in seconds since 1970.
   */
  constructor(
    max: number,
    private readonly reorgDepth: number,
    readonly quotesEndSince: number,
  ) {
    this.kept = new LRUCache({ max })
  }

  /** Waits up to `wait` milliseconds for a transaction that is not known yet. Throws OrderError, ChainError. */
  async read(chain: Chain, txId: Hex, datatoken: Address, wait: number): Promise<OrderTransaction> {
    const key = `${chain.chainId} ${txId.toLowerCase()} ${datatoken}`
    const known = this.kept.get(key)
    if (known) return known
    const mined = await waitForReceipt(chain, txId, wait)
    if (!mined)
      throw new OrderError('ORDER_NOT_FOUND', 'No mined transaction with this id was found on the chain of the asset.')
    const { receipt, head } = mined
    if (receipt.status !== 'success') throw new OrderError('ORDER_REVERTED', 'The order transaction failed on-chain.')
    // the head may be asked of the node a moment before the receipt
    const confirmations = Math.max(1, Number(head - receipt.blockNumber) + 1)
    if (confirmations < chain.confirmations)
      throw new OrderError(
        'ORDER_UNCONFIRMED',
        `The order has ${confirmations} of ${chain.confirmations} confirmations.`,
      )
    const events = orderEvents(receipt.logs, datatoken)
    if (events.length > 0) {
      const entry = { events, chainId: chain.chainId, block: Number(receipt.blockNumber) }
      this.kept.set(key, entry, confirmations < this.reorgDepth ? { ttl: FRESH_TTL } : {})
    }
    return { events }
  }

  /** Forgets what was mined after a block, which a reorganisation replaced. */
  forgetAfter(chainId: number, block: number): void {
    for (const [key, kept] of this.kept.entries())
      if (kept.chainId === chainId && kept.block > block) this.kept.delete(key)
  }
}
