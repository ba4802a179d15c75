import { appendFileSync, readdirSync, readFileSync } from 'node:fs'

/** Names the file to which each test file adds a line: its seconds of processor time, and its path. */
const REPORT = process.env.TIDEGATE_TEST_COSTS

/** Ticks of the clock in which Linux counts processor time, per second. */
const TICKS = 100

/**
 * Returns the seconds of processor time that a process and its child processes have taken, ended ones and those that run, such
 * as the browser that files share (Linux).
 */
function taken(pid = process.pid): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    // utime, stime, cutime and cstime (proc_pid_stat(5)) after the name
    const times = fields.split(' ').slice(11, 15).map(Number)
    const own = times.reduce((sum, ticks) => sum + ticks, 0) / TICKS
    return childrenOf(pid).reduce((sum, child) => sum + taken(child), own)
  } catch {
    // it has ended meanwhile
    return 0
  }
}

/** Returns the running child processes of all threads of a process. */
function childrenOf(pid: number): number[] {
  const listed = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'),
  )
  return listed.join(' ').split(' ').filter(Boolean).map(Number)
}

/** Starts to count for a test file. Returns the callback for its end; nothing is counted unless a report is wanted. */
export function countProcessorTime(file: string): () => void {
  if (REPORT === undefined) return () => undefined
  const before = taken()
  return () => appendFileSync(REPORT, `${(taken() - before).toFixed(1)} ${file}\n`)
}
