import { appendFileSync, readFileSync } from 'node:fs'

/** Names the file to which each test file adds a line: its seconds of processor time, and its path. */
const REPORT = process.env.TIDEGATE_TEST_COSTS

/** Ticks of the clock in which Linux counts processor time, per second. */
const TICKS = 100

/** Returns the seconds of processor time that this process, its threads and its ended child processes have taken (Linux). */
function taken(): number {
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  // utime, stime, cutime and cstime (proc_pid_stat(5)) after the name
  const times = fields.split(' ').slice(11, 15).map(Number)
  return times.reduce((sum, ticks) => sum + ticks, 0) / TICKS
}

/** Starts to count for a test file. Returns the callback for its end; nothing is counted unless a report is wanted. */
export function countProcessorTime(file: string): () => void {
  if (REPORT === undefined) return () => undefined
  const before = taken()
  return () => appendFileSync(REPORT, `${(taken() - before).toFixed(1)} ${file}\n`)
}
