import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_LIMITS } from '../limits.js'
import { RateLimited } from './rate-limits.js'

/** Milliseconds of the pause after a rate limit: the first, and the longest without a time that the node names. */
const PAUSE = { first: 250, longest: 8000 }
/**
 * Milliseconds between calls after a rate limit: the least, and the most. A node that takes fewer calls is left to the pauses:
 * one that refuses a call now and then whatever the rate, as a cluster does, must not become slow.
 */
const INTERVAL = { least: 25, most: 100 }
/** What remains after a success: of the interval, which 14 successes halve, and of the next pause. */
const REMAINS = { interval: 0.95, pause: 0.8 }

/** How long a caller waits. */
export interface Patience {
  /** Whether no other node can be asked instead. Only then a call waits. */
  isAlone: () => boolean
  /** The latest time to send, by performance.now(). */
  latest: number
  signal: AbortSignal | undefined
}

/**
 * The rate of calls that one node allows. It is unlimited until the node refuses a call for its rate. Then all calls to it
 * pause, with exponential backoff or for the time that the node names, and go on at an interval, which doubles with each
 * further refusal and shrinks with each success.
 */
export class Pace {
  private interval = 0
  private nextAt = 0
  private pausedUntil = 0
  private pause = PAUSE.first
  private limitedAt = Number.NEGATIVE_INFINITY
  private refusal: unknown = new RateLimited()

  /** Whether the node has refused a call for its rate within the time for which abilities are remembered. */
  get isLimited(): boolean {
    return performance.now() - this.limitedAt < CHAIN_LIMITS.chain.abilities.longest
  }

  /** When the pause ends, by performance.now(); past if there is none. */
  get pauseEnds(): number {
    return this.pausedUntil
  }

  /** Milliseconds until the next call may be sent. */
  get wait(): number {
    return Math.max(0, this.nextAt - performance.now(), this.pausedUntil - performance.now())
  }

  /**
   * Resolves when a request with so many calls may be sent: at once if another node can be asked instead, since this one
   * then comes last anyway, and may be the only one that knows the answer. Rejects with the node's last refusal if that would
   * be later than `latest`; and with the signal's reason.
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

  /** Records that the node refused a request, sent at `sentAt` by performance.now(), for its rate. */
  limited(sentAt: number, refusal: unknown, retryAfter = 0): void {
    const now = performance.now()
    this.refusal = refusal
    // requests that were in flight together are refused together, which says no more than one refusal
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
