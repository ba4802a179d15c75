import type { Histogram } from 'prom-client'

/**
 * Counts by two labels, as plain numbers until they are drained: the library hashes and checks the labels of each count, which
 * takes as long as a line of log.
 */
export class Tally<A extends string, B extends string | number> {
  private readonly counts = new Map<A, Map<B, number>>()

  add(first: A, second: B): void {
    let counts = this.counts.get(first)
    if (!counts) {
      counts = new Map()
      this.counts.set(first, counts)
    }
    counts.set(second, (counts.get(second) ?? 0) + 1)
  }

  /** Calls back with each count, and begins again at zero. */
  drain(take: (first: A, second: B, count: number) => void): void {
    for (const [first, counts] of this.counts) {
      for (const [second, count] of counts) take(first, second, count)
      counts.clear()
    }
  }
}

/** Durations that wait to be observed, at most: 8 KiB of a route. */
const WAITING = 1024

/** The responses of one route by method and status, and their durations. */
export class RouteTally {
  readonly responses = new Tally<string, number>()
  private readonly durations = new Float64Array(WAITING)
  private waiting = 0

  constructor(private readonly histogram: Pick<Histogram.Internal<'route'>, 'observe'>) {}

  /** `seconds`: the duration. */
  add(method: string, status: number, seconds: number): void {
    this.responses.add(method, status)
    this.durations[this.waiting++] = seconds
    if (this.waiting === WAITING) this.drainDurations()
  }

  /** Observes the durations that wait. One after the other they cost less than each beside its request. */
  drainDurations(): void {
    for (let at = 0; at < this.waiting; at++) this.histogram.observe(this.durations[at] as number)
    this.waiting = 0
  }
}
