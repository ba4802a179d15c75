import { setTimeout as sleep } from 'node:timers/promises'
import { abortable } from '@tidegate/common'
import { upTo } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import {
  type Hex,
  numberToHex,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { Chain } from './chains.js'
import { CHAIN_LIMITS } from './limits.js'

/** A mined transaction, and the head of the node that returned it. */
export interface MinedTransaction {
  receipt: TransactionReceipt
  head: bigint
}

/** A transaction that no node knew: failed look-ups in a row, and the time of the last one. */
interface Missing {
  attempts: number
  lastAt: number
}

/**
 * Finds receipts. Coalesces concurrent look-ups of a transaction and retries a missing one with exponential backoff, so
 * the number of callers does not change the number of requests.
 */
export class Receipts {
  private readonly missing: LRUCache<string, Missing> | undefined
  private readonly inFlight = new Map<string, Promise<MinedTransaction | undefined>>()
  /** Number of waiting callers by transaction. */
  private readonly waiters = new Map<string, number>()

  /**
   * `ttl`: milliseconds for which a missing transaction is cached as such; `final`: number of blocks above a block from
   * which the chain does not replace it.
   */
  constructor(
    private readonly ttl: number,
    private readonly final = Number.POSITIVE_INFINITY,
  ) {
    if (ttl > 0) this.missing = new LRUCache({ ...upTo(CHAIN_LIMITS.receipts.missCacheEntries), ttl })
  }

  /** Number of transactions with waiting callers. */
  get awaited(): number {
    return this.waiters.size
  }

  /**
   * Returns the receipt of a transaction; waits up to `wait` milliseconds for an unknown one. Undefined if it stays
   * unknown, or with `wait` 0 if it is cached as missing.
   * @throws ChainError, or the signal's reason; the signal cancels the wait of this caller alone
   */
  async find(chain: Chain, txId: Hex, wait: number, signal: AbortSignal): Promise<MinedTransaction | undefined> {
    const key = `${chain.chainId} ${txId.toLowerCase()}`
    if (wait === 0 || !this.addWaiter(key)) return this.lookUpIfDue(key, chain, txId, signal)
    try {
      return await this.wait(key, chain, txId, Date.now() + wait, signal)
    } finally {
      this.removeWaiter(key)
    }
  }

  private async wait(key: string, chain: Chain, txId: Hex, deadline: number, signal: AbortSignal) {
    for (;;) {
      const mined = await this.lookUpIfDue(key, chain, txId, signal)
      const now = Date.now()
      if (mined || now >= deadline) return mined
      await sleep(Math.max(1, Math.min(this.dueAt(key), deadline) - now), undefined, { signal })
    }
  }

  private async lookUpIfDue(key: string, chain: Chain, txId: Hex, signal: AbortSignal) {
    signal.throwIfAborted()
    const running = this.inFlight.get(key)
    if (!running && this.dueAt(key) > Date.now()) return undefined
    return abortable(running ?? this.lookUp(key, chain, txId), signal)
  }

  /** When the next look-up is due, in milliseconds since 1970. */
  private dueAt(key: string): number {
    const { attempts, lastAt } = this.missing?.get(key) ?? { attempts: 1, lastAt: Number.NEGATIVE_INFINITY }
    const { firstBackoff, maxBackoff } = CHAIN_LIMITS.receipts
    return lastAt + Math.min(firstBackoff * 2 ** (attempts - 1), maxBackoff, this.ttl)
  }

  private lookUp(key: string, chain: Chain, txId: Hex): Promise<MinedTransaction | undefined> {
    const previous = this.missing?.get(key)
    const pending = requestReceipt(chain, txId, { isUnlikely: previous !== undefined, final: this.final })
      .then((mined) => {
        if (mined) this.missing?.delete(key)
        else this.missing?.set(key, { attempts: (previous?.attempts ?? 0) + 1, lastAt: Date.now() })
        return mined
      })
      .finally(() => this.inFlight.delete(key))
    pending.catch(() => undefined) // every caller may have aborted
    this.inFlight.set(key, pending)
    return pending
  }

  /** Returns false at the limit of transactions that may have waiters at once. */
  private addWaiter(key: string): boolean {
    const count = this.waiters.get(key)
    if (count === undefined && this.waiters.size >= CHAIN_LIMITS.receipts.waiting) return false
    this.waiters.set(key, (count ?? 0) + 1)
    return true
  }

  private removeWaiter(key: string): void {
    const left = (this.waiters.get(key) ?? 1) - 1
    if (left > 0) this.waiters.set(key, left)
    else this.waiters.delete(key)
  }
}

/**
 * Requests receipt and head in one batch; if the receipt `isUnlikely`, requests the head only after it. A receipt is of a
 * block that the chain has: near the head it may be one that the chain has replaced.
 */
export function requestReceipt(
  { nodes }: Chain,
  txId: Hex,
  { isUnlikely = false, final = Number.POSITIVE_INFINITY } = {},
): Promise<MinedTransaction | undefined> {
  return nodes.ask(
    async (client, _callUntrusted, { moments }) => {
      const [receipt, named] = await Promise.all([
        receiptOf(client, txId),
        isUnlikely ? undefined : client.getBlockNumber(),
      ])
      if (!receipt) return undefined
      const { blockNumber: block, blockHash } = receipt
      const isFinal = named !== undefined && named - block > final
      const [hash] = await Promise.all([isFinal ? blockHash : hashOf(client, block), named ?? client.getBlockNumber()])
      // without the block, this part of the node is behind its receipts
      if (hash === undefined) moments.lacked(Number(block))
      const head = Math.max(moments.highest ?? 0, Number(block))
      return hash === blockHash ? { receipt, head: BigInt(head) } : undefined
    },
    // a lagging node does not know the transaction either
    { accept: (found) => found !== undefined, agreeOn: (found) => found && comparableParts(found.receipt) },
  )
}

/** Returns the hash of a block of the chain; undefined if the node lacks the block. */
async function hashOf(client: PublicClient, block: bigint): Promise<Hex | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(block), false] })
  return found?.hash ?? undefined
}

function comparableParts({ status, blockHash, logs }: TransactionReceipt): unknown {
  return [status, blockHash, logs.map(({ address, topics, data }) => [address, topics, data])]
}

async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}
