import { CHAIN_LIMITS } from '../limits.js'

const { forgotten: FORGOTTEN } = CHAIN_LIMITS.moments

/** The highest value that was shown of a number that only grows. It is forgotten after a minute of lower values. */
export class Floor {
  private highest: number | undefined
  /** When a value as high was last shown, by performance.now(). */
  private at = 0
  /** Former values with the times at which they were first shown, oldest first. */
  private past: { value: number; at: number }[] = []

  /** The highest value; undefined before the first one. */
  get value(): number | undefined {
    return this.highest
  }

  /** Returns the highest value that was shown so many milliseconds ago. */
  before(milliseconds: number): number | undefined {
    const latest = performance.now() - milliseconds
    return this.past.findLast(({ at }) => at <= latest)?.value
  }

  /** Raises the floor to a value; ignores a lower one. */
  raise(value: number): void {
    if (this.highest !== undefined && value < this.highest) return
    const now = performance.now()
    this.at = now
    if (value === this.highest) return
    this.highest = value
    const kept = this.past.findLastIndex(({ at }) => at <= now - FORGOTTEN)
    this.past = [...this.past.slice(Math.max(0, kept)), { value, at: now }]
  }

  /**
   * Records a shown value. Returns whether it is below `known`, the floor when it was requested: answers of concurrent
   * requests arrive in any order.
   */
  isBelow(value: number, known: number | undefined): boolean {
    const { highest } = this
    if (highest !== undefined && value < highest && performance.now() - this.at >= FORGOTTEN) {
      this.highest = undefined
      this.past = []
    }
    this.raise(value)
    return known !== undefined && this.highest !== undefined && value < Math.min(known, this.highest)
  }
}
