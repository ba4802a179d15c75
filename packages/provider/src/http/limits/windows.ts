import { upTo } from '@tidegate/protocol'
import { MINUTE } from '@tidegate/protocol/constants'
import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../../limits.js'

/** Length of a window in milliseconds. */
export const WINDOW = MINUTE

/** Counts usage by key in fixed windows of a minute, in this process. */
export class RateWindows {
  private readonly used = new LRUCache<string, { amount: number; ends: number }>(
    upTo(PROVIDER_LIMITS.http.trackedAddresses),
  )

  /** Adds to the usage of a key. Returns the usage, and the milliseconds until its window ends. */
  add(key: string, amount: number): { used: number; endsIn: number } {
    const now = Date.now()
    let window = this.used.get(key)
    if (!window || window.ends <= now) {
      window = { amount: 0, ends: now + WINDOW }
      this.used.set(key, window)
    }
    window.amount += amount
    return { used: window.amount, endsIn: window.ends - now }
  }
}
