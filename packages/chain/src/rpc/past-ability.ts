import { CHAIN_LIMITS } from '../limits.js'

const { first: FIRST, longest: LONGEST }: { first: number; longest: number } = CHAIN_LIMITS.chain.abilities

/** Whether one node takes block numbers in calls. It is tried again after a pause, which grows with each refusal. */
export class PastAbility {
  private refuses = false
  private retryAt = 0
  private pause = FIRST

  /** Whether calls should name their block. */
  get canCall(): boolean {
    return !this.refuses || performance.now() >= this.retryAt
  }

  /** The limit as a predicate; undefined if none is known. */
  get limit(): string | undefined {
    return this.refuses
      ? 'takes no block numbers in calls: the calls of a decision may be of different moments'
      : undefined
  }

  /** Records that the node answers a call at its newest block, and refuses it at a numbered one. */
  refused(): void {
    // concurrent calls are refused together
    if (!this.canCall) return
    this.pause = this.refuses ? Math.min(LONGEST, 2 * this.pause) : FIRST
    this.refuses = true
    this.retryAt = performance.now() + this.pause
  }

  /** Records that the node answered a call at a numbered block. */
  answered(): void {
    this.refuses = false
  }
}
