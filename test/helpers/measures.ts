import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { ask } from './requests.js'

/** The sum of a metric of a service in another process, over all its series or those whose labels contain `labels`. */
export async function metricOf(metricsUrl: string, name: string, labels = ''): Promise<number> {
  const { text } = await ask(`${metricsUrl}/metrics`)
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** The number of open files, sockets and pipes of a process; without those of its threads, which end once idle. */
export function openFilesOf(pid: number): number {
  const isOfThread = (name: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('anon_inode:')
    } catch {
      // closed meanwhile
      return true
    }
  }
  return readdirSync(`/proc/${pid}/fd`).filter((name) => !isOfThread(name)).length
}

/** Returns the seconds of processor time of a process, or of its main thread alone (Linux). */
export function cpuSeconds(pid: number, { mainThread = false } = {}): number {
  const path = mainThread ? `/proc/${pid}/task/${pid}/stat` : `/proc/${pid}/stat`
  // utime and stime in ticks of 10 ms, after the name (proc_pid_stat(5))
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The resident memory of a process in MiB. */
export function memoryOf(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / (1024 * 1024)
}
