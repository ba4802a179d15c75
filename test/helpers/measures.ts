import { readdirSync, readFileSync } from 'node:fs'
import { ask } from './requests.js'

/** The sum of a metric over its labels, or over those that hold `labels`, as a service in another process tells it. */
export async function metricOf(metricsUrl: string, name: string, labels = ''): Promise<number> {
  const { text } = await ask(`${metricsUrl}/metrics`)
  const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Files and sockets that a process has open. */
export function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** MiB of memory that a process holds. */
export function memoryOf(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / (1024 * 1024)
}
