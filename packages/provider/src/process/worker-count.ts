import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { PROVIDER_LIMITS } from '../limits.js'

/** The resources of a process. */
interface Resources {
  cores: number
  /** Bytes. */
  memory: number
}

/**
 * Returns the number of workers for this machine or container: one per core that the CPU quota allows, but no more than
 * fit into its memory under load. `root`: the file system, for tests.
 */
export function workersHere(root = '/', machine: Resources = { cores: availableParallelism(), memory: totalmem() }) {
  const limits = [machine, ...controlGroups(root).map((folder) => limitsOf(folder))]
  const cores = Math.min(...limits.map(({ cores }) => cores))
  const memory = Math.min(...limits.map(({ memory }) => memory))
  return Math.max(1, Math.floor(Math.min(cores, memory / PROVIDER_LIMITS.workers.memory)))
}

/** Returns the control groups (version 2) of this process, innermost first. Each limits the ones inside. */
function controlGroups(root: string): string[] {
  const own = /^0::(\/.*)$/m.exec(textOf(join(root, 'proc/self/cgroup')))?.[1]
  const top = join(root, 'sys/fs/cgroup')
  const folders = own === undefined ? [] : [join(top, own)]
  for (let at = folders[0] ?? top; at !== top && at.startsWith(top); at = dirname(at)) folders.push(dirname(at))
  return folders
}

/** Returns the limits of a control group. A missing or unlimited one is infinite. */
function limitsOf(folder: string): Resources {
  const quota = /^(\d+) (\d+)/.exec(textOf(join(folder, 'cpu.max')))
  const memory = /^\d+/.exec(textOf(join(folder, 'memory.max')))
  return {
    cores: quota ? Number(quota[1]) / Number(quota[2]) : Number.POSITIVE_INFINITY,
    memory: memory ? Number(memory[0]) : Number.POSITIVE_INFINITY,
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
