import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Load, LoadResult } from './load.js'

/** A program of this folder in a process of its own, and what it said first. */
export interface Helper<T> {
  said: T
  process: ChildProcess
  stop(): Promise<void>
}

export async function startHelper<T>(file: string, args: string[] = []): Promise<Helper<T>> {
  const child = forked(file, args)
  const [said] = await once(child, 'message')
  return { said: said as T, process: child, stop: () => stopped(child) }
}

/** Sends a load from a process of its own. Throws where any answer is not a good one. */
export async function send(load: Load): Promise<LoadResult> {
  const child = forked('load-worker.ts', [])
  child.send(load)
  const [result] = (await once(child, 'message')) as [LoadResult & { error?: string }]
  await stopped(child)
  if (result.error) throw new Error(result.error)
  if (result.failed > 0) throw new Error(`${result.failed} of ${load.amount} answers were refusals: ${result.example}`)
  return result
}

/** Seconds of CPU that a process has used. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Resident memory of a process in MiB. */
export function resident(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function forked(file: string, args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return fork(path, args, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
}

async function stopped(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
