import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The longest time in milliseconds for which the event loop was held while something was done. */
export async function loopDelay(work: () => Promise<unknown>): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 10 })
  monitor.enable()
  try {
    await work()
    // a turn of its own, so that what came last counts as well
    await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    monitor.disable()
  }
  return monitor.max / 1e6
}
