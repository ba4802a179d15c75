import { readFileSync } from 'node:fs'
import { forgetPeak, peakMemory } from './peak-memory.js'

/** The cost of some work to this process. */
export interface Cost<T> {
  result: T
  /** Milliseconds that it took of `clock`, and the longest event-loop delay meanwhile. */
  took: number
  held: number
  /** MiB by which the peak memory of the process exceeded its size before. */
  grown: number
}

/** Milliseconds between samples of the clock while the event loop is free. */
const RESOLUTION = 10

/** Does some work and measures its cost. */
export async function measured<T>(work: () => T | Promise<T>): Promise<Cost<T>> {
  const before = resident()
  forgetPeak()
  let last = clock()
  let held = 0
  const look = () => {
    const now = clock()
    held = Math.max(held, now - last - RESOLUTION)
    last = now
  }
  const timer = setInterval(look, RESOLUTION)
  const begun = last
  try {
    const result = await work()
    const took = clock() - begun
    // one more turn of the event loop, so that a delay of the last one is counted
    await new Promise((resolve) => setTimeout(resolve, 2 * RESOLUTION))
    look()
    return { result, took, held, grown: peakMemory() - before }
  } finally {
    clearInterval(timer)
  }
}

/** The longest event-loop delay that some work caused in this process, and so in a service in it, in milliseconds. */
export async function heldBy(work: () => unknown): Promise<number> {
  return (await measured(async () => work())).held
}

/**
 * An event-loop delay in milliseconds that is not reached by work in threads or in steps, even with the test's own work
 * beside it. The inputs that it is asserted for once blocked the loop for seconds.
 */
export const HELD = 500

/**
 * A clock in milliseconds that runs while the main thread of this process is on a core, so that measurements are the
 * same on a busy machine, and where the process or its disk stood still meanwhile. Only Linux has it.
 */
export function clock(): number {
  return onCore(process.pid) ?? performance.now()
}

/** Milliseconds that the main thread of a process has been on a core so far. Undefined if the system does not report it. */
export function onCore(pid: number): number | undefined {
  try {
    // nanoseconds on a core, nanoseconds waiting for one, and the number of time slices
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}

/** The resident memory of the process in MiB. */
function resident(): number {
  return process.memoryUsage.rss() / 1024 / 1024
}
