/** Events in one range above which the range shrinks, so that busy stretches of the chain do not exhaust memory. */
const MAX_EVENTS = 2000

/** Blocks to request at first: most public nodes give as many. */
const FIRST_SIZE = 2000

/** Successes after which a size that a node refused is tried again. Doubles with each refusal, up to the last. */
const RETRY_AFTER = { first: 16, last: 6400 }

/** Time-outs at sizes that once succeeded, without such a success between, that are taken for a limit. */
const DOUBTS = 3

/**
 * Why a request failed: `refused` by the node for its size; `late`, which may be for its size; `other`, which says nothing
 * about it.
 */
export type RangeFailure = 'refused' | 'timeout' | 'other'

/**
 * The number of blocks to request at once. Each node has an undocumented limit of its own: so the size grows by a quarter
 * after a success, up to the configured maximum and below the size that was refused, as far as the events in a block allow. After a refusal it goes back to the
 * largest size that succeeded, and is halved if that is what was refused. After any other failure it is halved as
 * well, so that a node in trouble has less to do, but doubles with each success until it is what it was: a node that
 * was away, or fails now and then, says nothing about sizes.
 */
export class AdaptiveRange {
  private size: number
  /** The size that was refused, and whether it is avoided for now. */
  private refused = Number.POSITIVE_INFINITY
  private avoided = false
  /** The largest size that succeeded. */
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
    // what was short because the head is near says little about a limit
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
    // not to where as many events to a block would be too many
    const sparse = events > 0 ? Math.floor((requested * MAX_EVENTS) / events) : grown
    const size = Math.max(this.size, Math.min(grown, sparse))
    if (!this.avoided || size < this.refused) this.size = Math.min(this.max, size)
  }

  /** Where not even one block comes in time, the nodes have an outage, and no limit. */
  private failedAtOne(failure: RangeFailure): void {
    if (failure === 'refused') return
    this.refused = Number.POSITIVE_INFINITY
    this.avoided = false
    this.retryAfter = RETRY_AFTER.first
  }
}
