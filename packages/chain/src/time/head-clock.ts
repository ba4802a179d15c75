import { CHAIN_LIMITS } from '../limits.js'

/** A moment in seconds, by the wall clock and by a monotonic timer. */
export interface Moment {
  clock: number
  timer: number
}

export const momentNow = (): Moment => ({ clock: Date.now() / 1000, timer: performance.now() / 1000 })

/** Bounds of an offset, in seconds by which the clock is ahead. */
interface Range {
  least: number
  most: number
}

/** Consecutive arrivals of heads that show the same offset. */
interface Evidence {
  first: Range
  since: number
  arrivals: number
  latest: Range
  at: Moment
}

const { tolerance, arrivals: NEEDED, slack } = CHAIN_LIMITS.clock

/**
 * Compares the clock of this machine with the heads of one node. A head from the future proves a slow clock. One old head
 * proves nothing: blocks may be rare, or the node may lag. Several new heads that are equally old on arrival prove a fast
 * clock: the heads of a node that catches up grow younger.
 */
export class HeadClock {
  private number = -1
  private time = 0
  private looked: Moment | undefined
  private evidence: Evidence | undefined

  /** Records the current head: its number, and its time in seconds since 1970. */
  see(number: number, time: number, now: Moment): void {
    if (this.looked && number > this.number) this.arrived(rangeOf(time, this.looked, now), now)
    this.number = Math.max(number, this.number)
    this.time = time
    this.looked = now
  }

  /** Whether the head was requested within the last `within` seconds. */
  isFresh(now: Moment, within: number): boolean {
    return this.looked !== undefined && now.timer - this.looked.timer <= within
  }

  /** Whether new heads arrived old, which is no proof yet. */
  get isSuspect(): boolean {
    return this.evidence !== undefined
  }

  /** Seconds since the block time of the head, by the clock of this machine. */
  age(now: Moment): number {
    return now.clock - this.time
  }

  /** Returns the proven offset in seconds: negative if the clock is slow, positive if it is fast, else 0. */
  offset(now: Moment): number {
    const age = this.age(now)
    if (age < 0) return age
    if (!this.evidence || !isProof(this.evidence)) return 0
    const { latest, at } = this.evidence
    // accounts for a clock that was set since the last head
    return Math.max(0, latest.least + Math.min(0, stepSince(at, now)))
  }

  private arrived(range: Range, now: Moment): void {
    const { evidence } = this
    if (range.least <= tolerance) {
      this.evidence = undefined
      return
    }
    this.evidence =
      evidence && overlap(evidence.first, range) && !isMoreExact(range, evidence.first)
        ? { ...evidence, arrivals: evidence.arrivals + 1, latest: range, at: now }
        : { first: range, since: now.timer, arrivals: 1, latest: range, at: now }
  }
}

/** The block is at most as old as the previous request, when the node did not have it. */
function rangeOf(time: number, looked: Moment, now: Moment): Range {
  // the clock may have been set since; the timer stops while the machine sleeps
  const before = Math.min(looked.clock, now.clock - (now.timer - looked.timer))
  return { least: before - time, most: now.clock - time }
}

/** Whether the evidence suffices: over a long span, a node that catches up would show growing offsets. */
function isProof({ arrivals, since, at, latest: { least, most } }: Evidence): boolean {
  return arrivals >= NEEDED && at.timer - since >= Math.max(CHAIN_LIMITS.clock.span, 10 * (most - least))
}

function overlap(a: Range, b: Range): boolean {
  return Math.max(a.least, b.least) <= Math.min(a.most, b.most) + slack
}

/** Whether a range says so much more than another one that evidence begins with it. */
function isMoreExact(range: Range, than: Range): boolean {
  return 2 * (range.most - range.least) + slack < than.most - than.least
}

/** Seconds by which the clock was set since a moment. */
function stepSince(then: Moment, now: Moment): number {
  return now.clock - then.clock - (now.timer - then.timer)
}
