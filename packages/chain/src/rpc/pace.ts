import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_LIMITS } from '../limits.js'
import { RateLimited } from './rate-limits.js'

const PAUSE: { first: number; longest: number } = CHAIN_LIMITS.nodes.pause
/** Milliseconds between calls after a rate limit. The maximum is low, since some clusters refuse calls at any rate. */
const INTERVAL = { least: 25, most: 100 }
/** Factors of the interval and of the next pause after a success. */
const REMAINS = { interval: 0.95, pause: 0.8 }

/** The conditions under which a caller waits. */
export interface Patience {
  /** Whether no other node is healthy. Only then calls wait. */
  isAlone: () => boolean
  /** Latest time to send, by performance.now(). */
  latest: number
  signal: AbortSignal | undefined
}

/**
 * The rate of calls to one node, unlimited until the first rate limit. Then calls pause, with exponential backoff or as long
 * as the node requests. After that they keep an interval, which each refusal doubles and each success shrinks.
 */
export class Pace {
  private interval = 0
  private nextAt = 0
  private pausedUntil = 0
  private pause = PAUSE.first
  private limitedAt = Number.NEGATIVE_INFINITY
  private refusal: unknown = new RateLimited()

  /** Whether the node has sent a rate limit recently. */
  get isLimited(): boolean {
    return performance.now() - this.limitedAt < CHAIN_LIMITS.chain.abilities.longest
  }

  /** End of the pause, by performance.now(). */
  get pauseEnds(): number {
    return this.pausedUntil
  }

  /** Milliseconds until the next call. */
  get wait(): number {
    return Math.max(0, this.nextAt - performance.now(), this.pausedUntil - performance.now())
  }

  /**
   * Resolves when a request with so many calls may be sent: at once if another node is healthy, since this one comes last
   * then.
   * @throws the node's last refusal if the wait would exceed `latest`, or the signal's reason
   */
  async turn(calls: number, { isAlone, latest, signal }: Patience): Promise<void> {
    if (!isAlone()) return
    for (let wait = this.wait; wait > 0; wait = this.wait) {
      if (performance.now() + wait > latest) throw this.refusal
      await sleep(wait, undefined, signal && { signal }).catch(() => undefined)
      signal?.throwIfAborted()
    }
    if (this.interval > 0) this.nextAt = performance.now() + this.interval * calls
  }

  /** Records a rate limit for a request that was sent at `sentAt`, by performance.now(). */
  limited(sentAt: number, refusal: unknown, retryAfter = 0): void {
    const now = performance.now()
    this.refusal = refusal
    // refusals of concurrent requests count as one
    if (sentAt >= this.limitedAt) {
      this.pausedUntil = now + this.pause
      this.pause = Math.min(PAUSE.longest, 2 * this.pause)
      this.interval = Math.min(INTERVAL.most, Math.max(INTERVAL.least, 2 * this.interval))
      this.limitedAt = now
    }
    this.pausedUntil = Math.max(this.pausedUntil, now + retryAfter)
  }

  /** Records that the node answered a request. */
  succeeded(): void {
    if (this.interval === 0) return
    this.pause = Math.max(PAUSE.first, this.pause * REMAINS.pause)
    const interval = this.interval * REMAINS.interval
    this.interval = interval < 1 ? 0 : interval
  }
}
