/** Maximum time of a task as a multiple of its processor time: a waiting thread uses none. */
const MAX_STRETCH = 6

/**
 * Calls `onOver` after so many milliseconds of this process's processor time, and not before as many have passed. On an
 * overloaded or suspended machine it is called later, at most after six times as many. Returns a function that cancels
 * it.
 */
export function afterWork(milliseconds: number, onOver: () => void): () => void {
  const begun = performance.now()
  const before = process.cpuUsage()
  const look = () => {
    const { user, system } = process.cpuUsage(before)
    const passed = performance.now() - begun
    const left = Math.min(milliseconds - (user + system) / 1000, MAX_STRETCH * milliseconds - passed)
    if (left <= 0) onOver()
    else timer = setTimeout(look, left)
  }
  let timer = setTimeout(look, milliseconds)
  return () => clearTimeout(timer)
}
