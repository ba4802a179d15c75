/** Most events that one range should hold, so that a crowded stretch of the chain does not fill the memory. */
const MANY_EVENTS = 2000

/** Ranges after which a size that once failed is tried again. */
const FORGIVEN_AFTER = 100

/**
 * How many blocks to ask for at once. Nodes limit it, each in its own way and without saying so: after a failure it is
 * half as many, after a success a little more, up to what was configured and below what failed lately.
 */
export class Pace {
  private size: number
  private ceiling = Number.POSITIVE_INFINITY
  private successes = 0

  constructor(private readonly most: number) {
    this.size = most
  }

  /** Blocks. */
  get blocks(): number {
    return this.size
  }

  failed(asked: number): void {
    if (asked <= 1) return
    this.ceiling = asked
    this.successes = 0
    this.size = Math.max(1, Math.floor(asked / 2))
  }

  succeeded(asked: number, events: number): void {
    if (events > MANY_EVENTS) {
      this.size = Math.max(1, Math.floor(asked / 2))
      return
    }
    this.successes += 1
    if (this.successes >= FORGIVEN_AFTER) this.ceiling = Number.POSITIVE_INFINITY
    const grown = Math.min(this.most, this.size + Math.ceil(this.size / 4))
    if (grown < this.ceiling) this.size = grown
  }
}
