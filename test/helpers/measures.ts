import { readdirSync, readFileSync } from 'node:fs'
import { ask } from './requests.js'

/** The sum of a metric of a service in another process, over all its series or those whose labels contain `labels`. */
export async function metricOf(metricsUrl: string, name: string, labels = ''): Promise<number> {
  const { text } = await ask(`${metricsUrl}/metrics`)
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** The number of open descriptors of a process. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** The milliseconds of processor time that a process and its threads have taken so far, which a busy machine does not change. */
export function takenBy(pid: number): number {
  // user and system time in ticks of 10 ms, counted after the name, which may hold anything (proc_pid_stat(5))
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** The resident memory of a process in MiB. */
export function memoryOf(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / (1024 * 1024)
}
