import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Milliseconds that the event loop of this process, and so of the service in it, was held at worst while something
 * happened.
 */
export async function worstDelay(happening: () => Promise<unknown>): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 10 })
  monitor.enable()
  try {
    await happening()
  } finally {
    // what holds the loop at the very end is noticed with the next turn of the monitor
    await new Promise((resolve) => setTimeout(resolve, 30))
    monitor.disable()
  }
  return monitor.max / 1e6
}

/**
 * What no loop that does its work elsewhere is held for, on a crowded machine with the test's own work beside it. The
 * inputs that it is asserted for held the loop for seconds.
 */
export const HELD = 500
