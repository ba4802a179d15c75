import { CATALOG_LIMITS } from '../../limits.js'

const { firstRange: FIRST_SIZE } = CATALOG_LIMITS.index
const MAX_EVENTS = CATALOG_LIMITS.index.events.range
const RETRY_AFTER: { first: number; last: number } = CATALOG_LIMITS.index.retryAfter

/** Consecutive time-outs at sizes that succeeded earlier, after which the size counts as a limit. */
const DOUBTS = 3

/** The reason of a failed request: `refused` for its size; `timeout`, perhaps for its size; `other`, not for its size. */
export type RangeFailure = 'refused' | 'timeout' | 'other'

/**
 * The number of blocks per request, since nodes have undocumented limits. The size grows by a quarter after a success: up to the
 * maximum, below the refused size, and only as far as the density of events allows. A refusal resets it to the largest successful
 * size, or halves it. Any other failure halves it too, to relieve the node; then it doubles until it has recovered.
 */
export class AdaptiveRange {
  private size: number
  /** The refused size, and whether it is avoided now. */
  private refused = Number.POSITIVE_INFINITY
  private avoided = false
  private largest = 0
  private doubts = 0
  private successes = 0
  private retryAfter = RETRY_AFTER.first

  constructor(private readonly max: number) {
    this.size = Math.min(FIRST_SIZE, max)
  }

  /** Blocks to request next. */
  get blocks(): number {
    return this.size
  }

  /** Records that a request for so many blocks failed. */
  failed(requested: number, failure: RangeFailure): void {
    if (requested <= 1) {
      this.failedAtOne(failure)
      return
    }
    // a range that was shortened by the head says little about a limit
    const isLate = failure === 'timeout' && requested >= this.size
    if (isLate) this.doubts += 1
    const limited = failure === 'refused' || (isLate && (requested > this.largest || this.doubts >= DOUBTS))
    const half = Math.max(1, Math.floor(requested / 2))
    if (!limited) {
      this.size = half
      return
    }
    if (this.largest >= requested) this.largest = 0
    this.refused = requested
    this.avoided = true
    this.doubts = 0
    this.successes = 0
    this.size = this.largest || half
  }

  /** Records that a request for so many blocks returned so many events. */
  succeeded(requested: number, events: number): void {
    if (events > MAX_EVENTS) {
      this.size = Math.max(1, Math.floor(requested / 2))
      this.largest = Math.min(this.largest, requested)
      return
    }
    if (requested >= this.largest) this.doubts = 0
    this.largest = Math.max(this.largest, requested)
    this.successes += 1
    if (this.avoided && this.successes >= this.retryAfter) {
      this.avoided = false
      this.retryAfter = Math.min(RETRY_AFTER.last, this.retryAfter * 2)
    }
    if (requested >= this.refused) this.retryAfter = RETRY_AFTER.first
    const grown =
      this.size < this.largest ? Math.min(2 * this.size, this.largest) : this.size + Math.ceil(this.size / 4)
    // as many blocks as have MAX_EVENTS at this density
    const sparse = events > 0 ? Math.floor((requested * MAX_EVENTS) / events) : grown
    const size = Math.max(this.size, Math.min(grown, sparse))
    if (!this.avoided || size < this.refused) this.size = Math.min(this.max, size)
  }

  /** If even one block fails, the nodes have an outage instead of a limit. */
  private failedAtOne(failure: RangeFailure): void {
    if (failure === 'refused') return
    this.refused = Number.POSITIVE_INFINITY
    this.avoided = false
    this.retryAfter = RETRY_AFTER.first
  }
}
