import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import type { IndexProgress } from './progress.js'

/** Lets callers wait until the index has read the current head. */
export class CatchingUp {
  private waiting = 0

  constructor(private readonly progress: () => IndexProgress[]) {}

  get waiters(): number {
    return this.waiting
  }

  /**
   * Resolves when the index has read the current head of a chain, after at most `wait` milliseconds; at once if too many callers wait.
   * Rejects with the signal's reason or ChainError.
   */
  async toHead({ chainId, nodes }: Chain, wait: number, signal: AbortSignal): Promise<void> {
    const until = Date.now() + wait
    const head = Number(await nodes.ask((client) => client.getBlockNumber()))
    const isBehind = () => (this.progress().find((chain) => chain.chainId === chainId)?.block ?? -1) < head
    if (this.waiting >= CHAIN_LIMITS.receipts.waiting) return
    this.waiting += 1
    try {
      while (isBehind() && Date.now() < until) await sleep(CHAIN_LIMITS.receipts.indexPoll, undefined, { signal })
    } finally {
      this.waiting -= 1
    }
  }
}
