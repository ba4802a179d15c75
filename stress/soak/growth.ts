import type { Quiet } from './quiet.js'

/** Quiet phases of one process from which growth can be told. */
const ENOUGH = 6
/** What the median of the last third may be above that of the first. */
const GROWTH = { memory: [0.25, 24], files: [0, 8], sockets: [0, 8] } as const

/** Returns what grows slowly: the resources of processes that have lived long enough, over all quiet phases. */
export function slowGrowth(phases: readonly Quiet[]): string[] {
  const last = phases.at(-1)
  if (!last) return []
  return [...last.instances].flatMap(([name, { starts }]) => {
    // the first phase of a process: caches and code are still cold
    const lived = phases.flatMap(({ instances }) => {
      const rest = instances.get(name)
      return rest?.starts === starts ? [rest] : []
    })
    const warm = lived.slice(1)
    if (warm.length < ENOUGH) return []
    const third = Math.floor(warm.length / 3)
    return Object.entries(GROWTH).flatMap(([key, [share, slack]]) => {
      const values = warm.map((rest) => rest[key as keyof typeof GROWTH])
      const [before, after] = [median(values.slice(0, third)), median(values.slice(-third))]
      return after > before * (1 + share) + slack ? [`${name}: ${key} grew from ${before} to ${after}`] : []
    })
  })
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
