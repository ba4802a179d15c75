import { monitorEventLoopDelay } from 'node:perf_hooks'

/** What some work cost this process. */
export interface Cost<T> {
  result: T
  /** Milliseconds until it was done, and the longest that the event loop was held meanwhile. */
  took: number
  held: number
  /** MiB by which the largest size that the process ever had has grown. */
  grown: number
}

/** Does some work and tells what it cost. */
export async function measured<T>(work: () => T | Promise<T>): Promise<Cost<T>> {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const peak = process.resourceUsage().maxRSS
  const begun = performance.now()
  delay.enable()
  try {
    const result = await work()
    const took = performance.now() - begun
    // a turn of the loop, so that what held the last one is counted
    await new Promise((resolve) => setTimeout(resolve, 20))
    return { result, took, held: delay.max / 1e6, grown: (process.resourceUsage().maxRSS - peak) / 1024 }
  } finally {
    delay.disable()
  }
}

/** Milliseconds for which the event loop of this process, and so of a service in it, was held at worst by some work. */
export async function heldBy(work: () => unknown): Promise<number> {
  return (await measured(async () => work())).held
}

/**
 * What no loop is held for that does such work elsewhere, or in steps, on a crowded machine with the test's own work
 * beside it. The inputs that it is asserted for held the loop for seconds.
 */
export const HELD = 500
