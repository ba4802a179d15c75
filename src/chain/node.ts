import type { PublicClient } from 'viem'
import type { Logger } from '../logger.js'
import { rpcClient } from './clients.js'
import { type CallForeign, foreignCalls } from './foreign.js'

/** Failures in a row after which a node is asked one thing at a time, and only where nothing else would do. */
const FAILURES_TO_OPEN = 3
/** Milliseconds before a node is probed again: after the first failure, and at most. */
const FIRST_REST = 500
const LONGEST_REST = 20_000

/** One node of a chain, and how it has been doing. */
export class ChainNode {
  readonly client: PublicClient
  readonly foreign: CallForeign
  /** Whether it has shown to be on the right chain. */
  verified = false
  /** Questions in flight. */
  asked = 0
  private failures = 0
  private restsUntil = 0
  private resting = false

  private lone: PublicClient | undefined

  constructor(
    readonly url: URL,
    private readonly timeout: number,
  ) {
    this.client = rpcClient(url, { timeout })
    this.foreign = foreignCalls(url, timeout)
  }

  /** A client each of whose calls is a request of its own. */
  get alone(): PublicClient {
    this.lone ??= rpcClient(this.url, { timeout: this.timeout, batch: false })
    return this.lone
  }

  /** Whether it is asked before others: it has not failed since it last answered, or was probed. */
  get isWell(): boolean {
    return !this.resting
  }

  /** Whether it fails again and again. */
  get isOpen(): boolean {
    return this.resting && this.failures >= FAILURES_TO_OPEN
  }

  /** Milliseconds until it may be probed. */
  get rest(): number {
    return Math.max(0, this.restsUntil - Date.now())
  }

  /** It answered. */
  succeeded(): void {
    this.failures = 0
    this.resting = false
  }

  /** It answered a probe. Its next rest is no shorter for that: it may fail at larger questions. */
  recovered(): void {
    this.resting = false
  }

  /** It failed, and rests for longer each time; `retryAfter` in milliseconds where it said so. */
  failed(reason: string, log: Logger | undefined, chainId: number, retryAfter = 0): void {
    // requests that fail together are one failure
    if (this.resting && this.rest > 0) return
    this.failures += 1
    this.resting = true
    const rest = Math.min(LONGEST_REST, Math.max(FIRST_REST * 2 ** (this.failures - 1), retryAfter))
    this.restsUntil = Date.now() + rest
    if (this.failures <= FAILURES_TO_OPEN)
      log?.warn({ chainId, node: this.url.host, reason, rest }, 'chain node failed')
  }
}
