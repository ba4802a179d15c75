import { CHAIN_LIMITS } from '../limits.js'

/** Calls per HTTP request. */
const MAX = 100
/** Failures of batches without a success between that are taken for a limit, if each may have had another cause. */
const DOUBTS = 2

const { first: FIRST, longest: LONGEST }: { first: number; longest: number } = CHAIN_LIMITS.chain.abilities

/**
 * The number of calls that one node takes in a batch. Larger batches are tried again now and then by a probe, so that a
 * passing failure is not remembered for good.
 */
export class BatchSize {
  private most = MAX
  /** The smallest batch that the node refused; infinite while none is known. */
  private refusedSize = Number.POSITIVE_INFINITY
  private doubts = 0
  /** The largest batch that was wanted. */
  private wanted = 1
  private probing = false
  private probeAt = 0
  private probeAfter = FIRST

  /** Calls to send in one request. */
  get limit(): number {
    return this.most
  }

  /** The limit, if the node has shown that it refuses more; undefined if it takes what is wanted. */
  get known(): number | undefined {
    return this.refusedSize <= this.wanted && this.most < this.wanted ? this.most : undefined
  }

  /** Records that so many calls are to be sent together. */
  want(calls: number): void {
    this.wanted = Math.max(this.wanted, Math.min(calls, MAX))
  }

  succeeded(calls: number): void {
    if (calls > 1) this.doubts = 0
  }

  /** Records that the node refused a batch, and then answered all of its calls in batches of at most `works`. */
  refused(calls: number, works: number, isCertain: boolean): void {
    this.doubts += 1
    if (!isCertain && this.doubts < DOUBTS) return
    this.most = Math.min(this.most, works)
    this.refusedSize = Math.min(this.refusedSize, calls)
    this.probeAt = performance.now() + this.probeAfter
  }

  /** Records that a batch failed in a way that may be for its size. The next success is followed by a probe. */
  doubt(calls: number): void {
    if (calls < 2) return
    this.doubts += 1
    if (this.doubts < DOUBTS) return
    this.most = Math.max(1, Math.min(this.most, Math.floor(calls / 2)))
    this.probeAt = 0
  }

  /** Calls of the probe that is due, which is then to be sent; undefined if none is. */
  startProbe(): number | undefined {
    if (this.most >= this.wanted || this.probing || performance.now() < this.probeAt) return undefined
    this.probing = true
    return Math.min(2 * this.most, this.wanted)
  }

  /** Records how a probe ended. */
  probed(calls: number, taken: boolean): void {
    this.probing = false
    if (!taken) {
      this.refusedSize = Math.min(this.refusedSize, calls)
      this.probeAt = performance.now() + this.probeAfter
      this.probeAfter = Math.min(LONGEST, 2 * this.probeAfter)
      return
    }
    this.doubts = 0
    if (calls >= this.refusedSize) {
      this.refusedSize = Number.POSITIVE_INFINITY
      this.probeAfter = FIRST
    }
    this.most = this.refusedSize === Number.POSITIVE_INFINITY ? MAX : Math.max(this.most, calls)
  }
}
