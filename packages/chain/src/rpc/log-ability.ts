import { CHAIN_LIMITS } from '../limits.js'

const { first: FIRST, longest: LONGEST }: { first: number; longest: number } = CHAIN_LIMITS.chain.abilities

/** Whose events a node gives: of any contract, of named contracts alone, or none. */
type Emitters = 'any' | 'named' | 'none'

/**
 * Which events one node gives. A refusal is remembered for a while, longer with each further one; then the node is asked
 * again as if nothing was known.
 */
export class LogAbility {
  private emitters: Emitters = 'any'
  /** The smallest range of blocks that the node refused. */
  private refusedBlocks = Number.POSITIVE_INFINITY
  /** The largest range of blocks that it gave. */
  private given = 0
  private retryAt = 0
  private retryAfter = FIRST
  private trying = false

  /** Whether the node is to be asked by contract address. */
  get needsAddress(): boolean {
    return this.emitters === 'named' && !this.isDue
  }

  /** Whether nothing speaks against asking the node for the events of any contract in so many blocks. */
  canGive(blocks: number): boolean {
    return this.isDue || (this.emitters === 'any' && blocks < this.refusedBlocks)
  }

  /** Whether it has given events of any contract, and not refused as many blocks since. */
  get hasGiven(): boolean {
    return this.given > 0
  }

  /** The limit in words; undefined if none is known. */
  get limit(): string | undefined {
    if (this.emitters === 'none') return 'gives no events: the index cannot be read from it'
    if (this.emitters === 'named') return 'gives events only by contract address: reading the index from it is slow'
    if (this.given === 0 || this.refusedBlocks === Number.POSITIVE_INFINITY) return undefined
    return `gives the events of fewer than ${this.refusedBlocks} blocks at once`
  }

  /** Records that the node gave the events of any contract in so many blocks. */
  gave(blocks: number): void {
    this.emitters = 'any'
    this.given = Math.max(this.given, blocks)
    if (blocks < this.refusedBlocks) return
    this.refusedBlocks = Number.POSITIVE_INFINITY
    this.retryAfter = FIRST
  }

  /** Records that the node refused the events of so many blocks, but gives those of fewer, or may do so. */
  refused(blocks: number): void {
    // a size that it once gave was refused for the number of events
    if (blocks <= this.given) this.given = 0
    if (blocks >= this.refusedBlocks && !this.isDue) return
    this.refusedBlocks = Math.min(blocks, this.refusedBlocks)
    this.remember()
  }

  /** Records that the node gives events by contract address alone, or not at all. */
  lacks(emitters: 'named' | 'none'): void {
    if (this.emitters === emitters && !this.isDue) return
    this.emitters = emitters
    this.remember()
  }

  /** Begins to find out why the node refuses events; false if that is under way, or known. */
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
    // only a retry that failed makes the next one later
    if (this.retryAt > 0 && this.isDue) this.retryAfter = Math.min(LONGEST, 2 * this.retryAfter)
    this.retryAt = performance.now() + this.retryAfter
  }
}
