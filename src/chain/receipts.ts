import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { unlessAborted } from '../abort.js'
import { BOUNDS } from '../bounds.js'
import type { Chain } from './chains.js'

/** A mined transaction, with the head of the chain as the same node sees it. */
export interface Mined {
  receipt: TransactionReceipt
  head: bigint
}

/** A transaction that no node knew: how often in a row it was looked for, and when last. */
interface Missing {
  looks: number
  last: number
}

/**
 * Finds receipts. One look at the nodes serves everybody who wants to know of a transaction, and the more often it was
 * not there, the longer it is until the next one: so what a transaction costs does not depend on how many ask for it,
 * or how often.
 */
export class Receipts {
  private readonly missing: LRUCache<string, Missing> | undefined
  private readonly looking = new Map<string, Promise<Mined | undefined>>()
  /** How many wait for each transaction. */
  private readonly waiting = new Map<string, number>()

  /** `memory`: milliseconds for which it is remembered that a transaction was not there. */
  constructor(private readonly memory: number) {
    if (memory > 0) this.missing = new LRUCache({ max: BOUNDS.receipts.missing, ttl: memory })
  }

  /** Transactions that somebody waits for. */
  get waitedFor(): number {
    return this.waiting.size
  }

  /**
   * The receipt of a transaction, waiting up to `wait` milliseconds for one that no node knows yet. Undefined when it
   * stays unknown, or was not there a moment ago and is not to be waited for. Rejects with the signal's reason, which
   * ends the waiting of this one caller, or with ChainError.
   */
  async find(chain: Chain, txId: Hex, wait: number, signal: AbortSignal): Promise<Mined | undefined> {
    const key = `${chain.chainId} ${txId.toLowerCase()}`
    if (wait === 0 || !this.enter(key)) return this.lookWhereDue(key, chain, txId, signal)
    try {
      return await this.wait(key, chain, txId, Date.now() + wait, signal)
    } finally {
      this.leave(key)
    }
  }

  private async wait(key: string, chain: Chain, txId: Hex, deadline: number, signal: AbortSignal) {
    for (;;) {
      const mined = await this.lookWhereDue(key, chain, txId, signal)
      const now = Date.now()
      if (mined || now >= deadline) return mined
      await sleep(Math.max(1, Math.min(this.due(key), deadline) - now), undefined, { signal })
    }
  }

  private async lookWhereDue(key: string, chain: Chain, txId: Hex, signal: AbortSignal): Promise<Mined | undefined> {
    signal.throwIfAborted()
    const running = this.looking.get(key)
    if (!running && this.due(key) > Date.now()) return undefined
    return unlessAborted(running ?? this.look(key, chain, txId), signal)
  }

  /** When the nodes may be asked again. */
  private due(key: string): number {
    const { looks, last } = this.missing?.get(key) ?? { looks: 1, last: Number.NEGATIVE_INFINITY }
    const { firstPause, longestPause } = BOUNDS.receipts
    return last + Math.min(firstPause * 2 ** (looks - 1), longestPause, this.memory)
  }

  private look(key: string, chain: Chain, txId: Hex): Promise<Mined | undefined> {
    const before = this.missing?.get(key)
    const looking = ask(chain, txId, before !== undefined)
      .then((mined) => {
        if (mined) this.missing?.delete(key)
        else this.missing?.set(key, { looks: (before?.looks ?? 0) + 1, last: Date.now() })
        return mined
      })
      .finally(() => this.looking.delete(key))
    looking.catch(() => undefined) // of one that nobody waits for any more
    this.looking.set(key, looking)
    return looking
  }

  /** Counts who waits for a transaction. False where there are as many transactions as may be waited for at once. */
  private enter(key: string): boolean {
    const others = this.waiting.get(key)
    if (others === undefined && this.waiting.size >= BOUNDS.receipts.waiting) return false
    this.waiting.set(key, (others ?? 0) + 1)
    return true
  }

  private leave(key: string): void {
    const others = (this.waiting.get(key) ?? 1) - 1
    if (others > 0) this.waiting.set(key, others)
    else this.waiting.delete(key)
  }
}

/** Asks for receipt and head: together where the receipt is likely there, else for the head of a found one alone. */
function ask({ nodes }: Chain, txId: Hex, unlikely: boolean): Promise<Mined | undefined> {
  return nodes.ask(
    async (client) => {
      const [receipt, known] = await Promise.all([
        receiptOf(client, txId),
        unlikely ? undefined : client.getBlockNumber(),
      ])
      return receipt && { receipt, head: known ?? (await client.getBlockNumber()) }
    },
    // a node that lags behind says "unknown" as well
    { accept: (found) => found !== undefined, essence: (found) => found && essenceOf(found.receipt) },
  )
}

function essenceOf({ status, blockHash, logs }: TransactionReceipt): unknown {
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
