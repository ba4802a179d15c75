import { CHAIN_LIMITS } from './limits.js'

/** A moment by the clock of this machine, and by a timer that nobody sets; both in seconds. */
export interface Moment {
  clock: number
  timer: number
}

export const momentNow = (): Moment => ({ clock: Date.now() / 1000, timer: performance.now() / 1000 })

/** Bounds of an offset: the clock is at least and at most so many seconds ahead. */
interface Range {
  least: number
  most: number
}

/** Arrivals that all tell of the same offset. */
interface Evidence {
  first: Range
  since: number
  arrivals: number
  latest: Range
  at: Moment
}

const { tolerance, arrivals: NEEDED, span, slack } = CHAIN_LIMITS.clock

/**
 * Compares the clock of this machine with the heads of one node. A head from the future proves that the clock is slow. An
 * old head proves nothing: the chain may mine rarely, and the node may lag. A fast clock is proven by new heads that are
 * all equally old when they arrive: those of a node that catches up become younger.
 */
export class HeadClock {
  private number = -1
  private time = 0
  private looked: Moment | undefined
  private evidence: Evidence | undefined

  /** Records a look at the head: its number, and its time in seconds since 1970. */
  see(number: number, time: number, now: Moment): void {
    if (this.looked && number > this.number) this.arrived(rangeOf(time, this.looked, now), now)
    this.number = Math.max(number, this.number)
    this.time = time
    this.looked = now
  }

  /** Whether the node was looked at in so many seconds. */
  isFresh(now: Moment, within: number): boolean {
    return this.looked !== undefined && now.timer - this.looked.timer <= within
  }

  /** Whether new heads were old when they arrived, which is no proof yet. */
  get isSuspect(): boolean {
    return this.evidence !== undefined
  }

  /** Seconds since the time of the head, by the clock of this machine. */
  age(now: Moment): number {
    return now.clock - this.time
  }

  /** Returns the proven offset in seconds: negative if the clock is slow, positive if it is fast, else 0. */
  offset(now: Moment): number {
    const age = this.age(now)
    if (age < 0) return age
    if (!this.evidence || !isProof(this.evidence)) return 0
    const { latest, at } = this.evidence
    // a clock that was set back is right again, whether or not a further head arrives
    return Math.max(0, latest.least + Math.min(0, stepSince(at, now)))
  }

  private arrived(range: Range, now: Moment): void {
    const { evidence } = this
    if (range.least <= tolerance) {
      this.evidence = undefined
      return
    }
    this.evidence =
      evidence && overlap(evidence.first, range)
        ? { ...evidence, arrivals: evidence.arrivals + 1, latest: range, at: now }
        : { first: range, since: now.timer, arrivals: 1, latest: range, at: now }
  }
}

/** The block is no older than the last look, at which the node did not have it, and no younger than now. */
function rangeOf(time: number, looked: Moment, now: Moment): Range {
  // by the clock as it is now; the timer stands still while the machine sleeps
  const before = Math.min(looked.clock, now.clock - (now.timer - looked.timer))
  return { least: before - time, most: now.clock - time }
}

/** A catching-up node gains on the chain: the longer the arrivals span, the smaller the gain that goes unnoticed. */
function isProof({ arrivals, since, at, latest: { least, most } }: Evidence): boolean {
  return arrivals >= NEEDED && at.timer - since >= Math.max(span, 10 * (most - least))
}

function overlap(a: Range, b: Range): boolean {
  return Math.max(a.least, b.least) <= Math.min(a.most, b.most) + slack
}

/** Seconds by which the clock was set since a moment. */
function stepSince(then: Moment, now: Moment): number {
  return now.clock - then.clock - (now.timer - then.timer)
}
