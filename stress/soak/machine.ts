import { availableParallelism, loadavg } from 'node:os'

/** Processes per core that want to run, on average over a minute, above which the machine counts as crowded. */
const CROWDED = 3
/** Milliseconds by which a timer may be late; beyond that the machine stood still. */
const LATE = 1000
/** Milliseconds between looks. */
const LOOK = 500
/** Milliseconds until the effects of a crowd end: time-outs, and nodes that counted as slow. */
const AFTERMATH = 30_000

/**
 * Watches whether the machine, which load, chain, storage and database share with the service, is crowded. Time-outs say
 * nothing about the service then: neither that a request had to pass, nor how long recovery takes. What is never excused
 * is content that is wrong, a nonce or a token that passes twice, a location that leaks, and what is not given back.
 */
export class Machine {
  /** Seconds for which it was crowded. */
  seconds = 0
  private readonly timer: NodeJS.Timeout
  private last = performance.now()
  private lastCrowded = Number.NEGATIVE_INFINITY

  constructor(private readonly load: () => number = () => loadavg()[0] as number) {
    this.timer = setInterval(() => this.look(), LOOK).unref()
  }

  /** Whether it was crowded at some time since `at`, in milliseconds since 1970, or just before. */
  crowdedSince(at: number): boolean {
    return this.lastCrowded + AFTERMATH >= at
  }

  get crowded(): boolean {
    return this.crowdedSince(Date.now())
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private look(): void {
    const now = performance.now()
    const passed = now - this.last
    this.last = now
    if (passed < LOOK + LATE && this.load() < CROWDED * availableParallelism()) return
    this.lastCrowded = Date.now()
    this.seconds += passed / 1000
  }
}
