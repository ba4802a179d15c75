import { CHAIN_LIMITS } from '../limits.js'

const { first: FIRST, longest: LONGEST }: { first: number; longest: number } = CHAIN_LIMITS.chain.abilities

/** The contracts whose events a node returns: any, only those in the request, or none. */
type Emitters = 'any' | 'named' | 'none'

/** The events that one node returns. A refusal expires after a while, which grows with each refusal. */
export class LogAbility {
  private emitters: Emitters = 'any'
  /** Blocks of the smallest refused range. */
  private refusedBlocks = Number.POSITIVE_INFINITY
  /** Blocks of the largest range that the node returned. */
  private given = 0
  private retryAt = 0
  private retryAfter = FIRST
  private trying = false
  private isOmitting = false

  /** Whether requests must name contracts. */
  get needsAddress(): boolean {
    return this.emitters === 'named' && !this.isDue
  }

  /** Whether the node may return the events of any contract in so many blocks. */
  canGive(blocks: number): boolean {
    return this.isDue || (this.emitters === 'any' && blocks < this.refusedBlocks)
  }

  /** Whether the node has returned events of any contract, and has not refused as many blocks since. */
  get hasGiven(): boolean {
    return this.given > 0
  }

  /** The limit as a predicate; undefined if none is known. */
  get limit(): string | undefined {
    if (this.isOmitting) return 'omits events that blooms of new blocks name, or gives them late'
    if (this.emitters === 'none') return 'gives no events: the index cannot be read from it'
    if (this.emitters === 'named') return 'gives events only by contract address: reading the index from it is slow'
    if (this.given === 0 || this.refusedBlocks === Number.POSITIVE_INFINITY) return undefined
    return `gives the events of fewer than ${this.refusedBlocks} blocks at once`
  }

  /** Records that the node returned the events of any contract in so many blocks. */
  gave(blocks: number): void {
    this.emitters = 'any'
    this.given = Math.max(this.given, blocks)
    if (blocks < this.refusedBlocks) return
    this.refusedBlocks = Number.POSITIVE_INFINITY
    this.retryAfter = FIRST
  }

  /** Records whether the node omitted events that the bloom of a block names. */
  omits(isOmitting: boolean): void {
    this.isOmitting = isOmitting
  }

  /** Records that the node refused the events of so many blocks, but may return those of fewer. */
  refused(blocks: number): void {
    // the node has returned as many blocks before, so it refused the number of events
    if (blocks <= this.given) this.given = 0
    if (blocks >= this.refusedBlocks && !this.isDue) return
    this.refusedBlocks = Math.min(blocks, this.refusedBlocks)
    this.remember()
  }

  /** Records that the node returns events only by contract address, or none. */
  lacks(emitters: 'named' | 'none'): void {
    if (this.emitters === emitters && !this.isDue) return
    this.emitters = emitters
    this.remember()
  }

  /** Starts a trial of why the node refuses events. Returns false if one is running, or the reason is known. */
  startTrial(): boolean {
    if (this.trying || (this.emitters !== 'any' && !this.isDue)) return false
    this.trying = true
    return true
  }

  endTrial(): void {
    this.trying = false
  }

  private get isDue(): boolean {
    return performance.now() >= this.retryAt
  }

  private remember(): void {
    // only a failed retry doubles the wait
    if (this.retryAt > 0 && this.isDue) this.retryAfter = Math.min(LONGEST, 2 * this.retryAfter)
    this.retryAt = performance.now() + this.retryAfter
  }
}
