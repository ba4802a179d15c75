import { CHAIN_LIMITS } from '../limits.js'
import { BehindError } from '../time/behind-error.js'
import { Floor } from './floor.js'

const { mixing: MIXING, jump: JUMP } = CHAIN_LIMITS.moments

/** The blocks that one address has shown. A balancer behind it may answer each call from a node of another moment. */
export class Moments {
  private readonly floor = new Floor()
  private wasBehind = false
  private hasFalseHead = false
  private mixedUntil = Number.NEGATIVE_INFINITY

  /** The highest block that the address has shown; undefined before the first one. */
  get highest(): number | undefined {
    return this.floor.value
  }

  /** Returns the highest block that the address had shown so many milliseconds ago. */
  highestBefore(milliseconds: number): number | undefined {
    return this.floor.before(milliseconds)
  }

  /** Whether the address has answered from different moments lately. */
  get areMixed(): boolean {
    return performance.now() < this.mixedUntil
  }

  /** The limit as a predicate; undefined if none is known. */
  get limit(): string | undefined {
    if (this.hasFalseHead) return 'names a head whose block it does not have'
    return this.areMixed ? 'mixes answers of different moments' : undefined
  }

  /** Records a block that the address gave, or that one of its receipts names. */
  gave(block: number): void {
    this.floor.raise(block)
  }

  /** Whether a head is so far above the known blocks that its block must be looked at. */
  isLeap(head: number): boolean {
    return head > (this.highest ?? -1) + (this.highest === undefined ? 0 : JUMP)
  }

  /** Records that the address named a head and does not have its block. */
  refuted(): void {
    this.hasFalseHead = true
  }

  /** Records that the address named a head that it may have. */
  confirmed(): void {
    this.hasFalseHead = false
  }

  /**
   * Records a head; `known`: the highest block when it was requested.
   * @throws BehindError if the head is below that
   */
  head(head: number, known: number | undefined): void {
    if (this.floor.isBelow(head, known)) {
      this.wasBehind = true
      throw new BehindError()
    }
    // it came back: a chain that was restarted stays low
    if (this.wasBehind && head >= (known ?? 0)) this.mixed()
    this.wasBehind = false
  }

  /** Records that the address does not know a block that it has shown. */
  lacked(block: number): void {
    if (block <= (this.highest ?? -1)) this.mixed()
  }

  private mixed(): void {
    this.mixedUntil = performance.now() + MIXING
  }
}
