import { CHAIN_LIMITS } from '../limits.js'

/** Maximum calls per HTTP request. */
export const MAX_BATCH = 100
/** Consecutive uncertain failures of batches that count as a limit. */
const DOUBTS = 2

const { first: FIRST, longest: LONGEST }: { first: number; longest: number } = CHAIN_LIMITS.chain.abilities

/** The maximum calls per batch of one node. Occasional probes try larger batches, so a temporary limit ends. */
export class BatchSize {
  private most = MAX_BATCH
  /** Calls of the smallest refused batch; infinite if there is none. */
  private refusedSize = Number.POSITIVE_INFINITY
  private doubts = 0
  /** Calls of the largest batch that a caller has sent. */
  private wanted = 1
  private probing = false
  private probeAt = 0
  private probeAfter = FIRST

  /** Calls to send in one request. */
  get limit(): number {
    return this.most
  }

  /** The limit; undefined if the node has taken all batches that callers sent. */
  get known(): number | undefined {
    return this.refusedSize <= this.wanted && this.most < this.wanted ? this.most : undefined
  }

  /** Records the calls of a batch that a caller sends. */
  want(calls: number): void {
    this.wanted = Math.max(this.wanted, Math.min(calls, MAX_BATCH))
  }

  succeeded(calls: number): void {
    if (calls > 1) this.doubts = 0
  }

  /** Records that the node refused a batch, but answered its calls in batches of at most `works`. */
  refused(calls: number, works: number, isCertain: boolean): void {
    this.doubts += 1
    if (!isCertain && this.doubts < DOUBTS) return
    this.most = Math.min(this.most, works)
    this.refusedSize = Math.min(this.refusedSize, calls)
    this.probeAt = performance.now() + this.probeAfter
  }

  /** Records a failure that the size of the batch may have caused. After the next success a probe is due. */
  doubt(calls: number): void {
    if (calls < 2) return
    this.doubts += 1
    if (this.doubts < DOUBTS) return
    this.most = Math.max(1, Math.min(this.most, Math.floor(calls / 2)))
    this.probeAt = 0
  }

  /** Returns the calls of a probe to send now; undefined if none is due. */
  startProbe(): number | undefined {
    if (this.most >= this.wanted || this.probing || performance.now() < this.probeAt) return undefined
    this.probing = true
    return Math.min(2 * this.most, this.wanted)
  }

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
    this.most = this.refusedSize === Number.POSITIVE_INFINITY ? MAX_BATCH : Math.max(this.most, calls)
  }
}
