import { LRUCache } from 'lru-cache'
import { BOUNDS } from '../bounds.js'

/** Milliseconds that a window lasts. */
const WINDOW = 60_000

/** How much of each key was used in its present window of a minute, in this process. */
export class Windows {
  private readonly used = new LRUCache<string, { amount: number; ends: number }>({ max: BOUNDS.http.trackedAddresses })

  /** Adds to a key's use. Answers what was used in its window, and in how many milliseconds that ends. */
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
