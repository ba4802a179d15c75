import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuSeconds } from '../../test/helpers/measures.js'
import type { Load, LoadResult } from './load.js'
import type { SlowLoad, SlowReport } from './slow-worker.js'
import type { Upload, Uploaded } from './upload-worker.js'

/** Variables of Node and of the C library, as image and unit set them. */
export const DEPLOYED = {
  NODE_ENV: 'production',
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: '--max-semi-space-size=32',
}

/** A program of this folder in a child process, and its first message. */
export interface Helper<T> {
  message: T
  process: ChildProcess
  stop(): Promise<void>
}

/** Starts a program of this folder, and waits for its first message. */
export async function startHelper<T>(file: string, args: string[] = []): Promise<Helper<T>> {
  const child = forked(file, args)
  const message = await nextMessage<T>(child, file)
  return { message, process: child, stop: () => killed(child) }
}

/** Sends a load from a child process. */
export function sendAny(load: Load): Promise<LoadResult> {
  return answerOf<LoadResult>('load-worker.ts', load)
}

/** Sends a load from a child process. Throws if any response is not 2xx. */
export async function send(load: Load): Promise<LoadResult> {
  const result = await sendAny(load)
  if (result.failed > 0) throw new Error(`${result.failed} of ${load.amount} requests were refused: ${result.example}`)
  return result
}

/** Uploads a file from a child process. */
export function uploaded(upload: Upload): Promise<Uploaded> {
  return answerOf<Uploaded>('upload-worker.ts', upload)
}

/** Starts consumers in a child process. Resolves when each has got its first bytes. */
export async function startConsumers(load: SlowLoad) {
  const child = forked('slow-worker.ts', [])
  const ask = (message: SlowLoad | 'report') => {
    child.send(message)
    return nextMessage<SlowReport>(child, 'slow-worker.ts')
  }
  await ask(load)
  return { report: () => ask('report'), stop: () => killed(child) }
}

/** Returns the CPU seconds of a process and of its children, also of those that have ended. */
export function treeSeconds([first, ...children]: number[]): number {
  const fields = readFileSync(`/proc/${first}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ended = (Number(fields[13]) + Number(fields[14])) / 100
  return children.reduce((sum, pid) => sum + (existsSync(`/proc/${pid}`) ? cpuSeconds(pid) : 0), ended)
}

/** Returns the resident memory of a process in MiB. */
export const resident = (pid: number): number => statusOf(pid, /VmRSS:\s+(\d+)/)

/** Returns the highest resident memory of a process so far, in MiB. */
export const peakResident = (pid: number): number => statusOf(pid, /VmHWM:\s+(\d+)/)

function statusOf(pid: number, field: RegExp): number {
  return Number(field.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Workers that have answered, by their programs: to start one takes longer than most of what is asked. */
const idle = new Map<string, ChildProcess[]>()

async function answerOf<T>(file: string, asked: object): Promise<T> {
  const child = idle.get(file)?.pop() ?? forked(file, [])
  for (const part of [child, child.channel]) part?.ref()
  const answered = nextMessage<T & { error?: string }>(child, file)
  child.send(asked)
  const result = await answered
  if (result.error) {
    await killed(child)
    throw new Error(result.error)
  }
  // an idle one keeps no benchmark from its end, and ends with it
  for (const part of [child, child.channel]) part?.unref()
  idle.set(file, [...(idle.get(file) ?? []), child])
  return result
}

/** Rejects if the process ends first. */
async function nextMessage<T>(child: ChildProcess, file: string): Promise<T> {
  const ended = new AbortController()
  const end = () => ended.abort()
  child.once('exit', end)
  try {
    return ((await once(child, 'message', { signal: ended.signal })) as [T])[0]
  } catch (error) {
    throw ended.signal.aborted ? new Error(`${file} has ended.`) : error
  } finally {
    child.off('exit', end)
  }
}

/** The arguments of node for a program of the benchmarks: its build where the folder BENCH_PROGRAMS has one, or its source. */
export function programOf(url: URL): string[] {
  const built = join(process.env.BENCH_PROGRAMS ?? '', `${parse(url.pathname).name}.mjs`)
  return process.env.BENCH_PROGRAMS && existsSync(built) ? [built] : ['--import', 'tsx', fileURLToPath(url)]
}

function forked(file: string, args: string[]): ChildProcess {
  const program = programOf(new URL(file, import.meta.url))
  return fork(program.at(-1) as string, args, { execArgv: program.slice(0, -1), serialization: 'advanced' })
}

async function killed(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
