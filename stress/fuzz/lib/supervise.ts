import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChildMessage, Work } from './child.js'
import { CORPUS, savedInputs } from './corpus.js'
import { encode } from './encoding.js'
import { inputOf, inputsOf } from './inputs.js'
import type { Fault } from './judge.js'
import type { AnyTarget } from './target.js'

/** A fault with the input that leads to it. */
export interface Finding {
  target: string
  fault: Fault
  /** The seed of a generated input, or the file of a saved one. */
  seed?: number
  file?: string
  /** Encoded as in the corpus. */
  input: unknown
}

export interface Round {
  /** Targets by name, with the URLs of their modules. */
  targets: ReadonlyMap<string, string>
  seed: number
  /** Inputs for each target, or milliseconds for each. */
  runs?: number
  slice?: number
  replayCorpus?: boolean
  corpus?: string
  /** Milliseconds of processor time that an input may take; by default that of `BUDGET`. */
  limit?: number
  /** The program of the child process where it is built, as the modules of the targets are then. */
  child?: string
}

/** Heap limit of the child process, in MiB. */
const HEAP = 320
const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * Runs the targets in a child process, which may hang, run out of memory or crash: the input that caused it is reported,
 * and the round resumes after it. Returns the findings, and the number of inputs by target.
 */
export async function runSupervised(round: Round): Promise<{ findings: Finding[]; inputs: Map<string, number> }> {
  const { seed, runs, slice, replayCorpus = true, corpus = CORPUS, limit, child = CHILD } = round
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-fuzz-'))
  const progress = join(folder, 'progress')
  const findings: Finding[] = []
  const inputs = new Map<string, number>()
  let remaining = [...round.targets].map(([name, module]) => ({ name, module, from: 0 }))
  try {
    while (remaining.length > 0) {
      writeFileSync(progress, '')
      const work: Work = {
        targets: remaining,
        seed,
        replayCorpus,
        corpus,
        progress,
        ...(runs === undefined ? {} : { runs }),
      }
      if (slice !== undefined) work.slice = slice
      if (limit !== undefined) work.limit = limit
      const ended = await run(child, work, (message) => {
        if ('fault' in message) findings.push(message)
        else inputs.set(message.target, message.done)
      })
      if (ended === undefined) break
      const last = lastOf(progress)
      if (!last) throw new Error(`The process of the targets ended before its first input: ${ended.what}`)
      const culprit = remaining[last.target] as Work['targets'][number]
      findings.push({ ...(await inputAt(culprit, last, corpus)), target: culprit.name, fault: ended })
      // resume after the fatal input; after a saved one, or with a time slice, resume with the next target
      const resumed = last.kept || slice !== undefined ? [] : [{ ...culprit, from: last.count + 1 }]
      const crashes = findings.filter(({ target, fault }) => target === culprit.name && /end|time/.test(fault.kind))
      remaining = [...(crashes.length < MAX_CRASHES ? resumed : []), ...remaining.slice(last.target + 1)]
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { findings, inputs }
}

/** Crashes or hangs of one target after which it is skipped. */
const MAX_CRASHES = 2

interface Last {
  target: number
  seed: number
  kept: boolean
  count: number
}

function lastOf(progress: string): Last | undefined {
  const text = readFileSync(progress, 'utf8')
  return text.trim() === '' ? undefined : (JSON.parse(text) as Last)
}

async function inputAt({ name, module }: Work['targets'][number], { seed, kept }: Last, corpus: string) {
  if (kept) {
    const { file, input } = savedInputs(name, corpus)[seed] as { file: string; input: unknown }
    return { file, input: encode(input) }
  }
  const target = (await import(module)).default as AnyTarget
  return { seed, input: encode(inputOf(inputsOf(name, target, corpus), seed)) }
}

/** Runs the child process; resolves with the fault that ended it, or undefined if it completed its work. */
function run(program: string, work: Work, onMessage: (message: ChildMessage) => void): Promise<Fault | undefined> {
  return new Promise((resolve, reject) => {
    const loader = program.endsWith('.ts') ? ['--import', 'tsx'] : []
    const execArgv = [...loader, '--expose-gc', `--max-old-space-size=${HEAP}`, '--max-semi-space-size=4']
    const child = fork(program, [JSON.stringify(work)], {
      execArgv,
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    })
    let stderr = ''
    let [seen, since, used, hung] = ['', 0, 0, false]
    child.stderr?.on('data', (text: Buffer) => {
      stderr = (stderr + text).slice(-4000)
    })
    child.on('message', onMessage)
    const timer = setInterval(() => {
      const now = readFileSync(work.progress, 'utf8').trim()
      // the record changes with every input, also while one is being shrunk
      if (now !== seen || now === '') [seen, since, used] = [now, performance.now(), processorTime(child.pid)]
      hung = processorTime(child.pid) - used > HANG || performance.now() - since > WALL_CLOCK_TIMEOUT
      if (hung) child.kill('SIGKILL')
    }, 200)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearInterval(timer)
      if (code === 0) resolve(undefined)
      else if (hung) resolve({ kind: 'time', what: 'nothing came of it' })
      else resolve({ kind: 'end', what: `the process ended (${signal ?? code}): ${lastLines(stderr)}` })
    })
  })
}

/** Processor time in milliseconds after which an input counts as a hang: an end of the heap takes two where memory is slow. */
const HANG = 5000

/** Milliseconds after which an input is abandoned in any case: it may wait without using the processor. */
const WALL_CLOCK_TIMEOUT = 300_000

/** Processor time of a process in milliseconds; on other systems than Linux the time since 1970, as an upper bound. */
function processorTime(pid = 0): number {
  try {
    const [, state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = state.split(' ').slice(11, 13).map(Number) as [number, number]
    return (user + system) * CLOCK_TICK
  } catch {
    return Date.now()
  }
}

/** Linux clock tick, in milliseconds. */
const CLOCK_TICK = 10

/** The last lines of standard error, without the native frames of a crash. */
function lastLines(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /\S/.test(line) && !/^\s*(?:\d+: 0x|<---|-----)/.test(line))
  return lines.slice(-12).join('\n      ')
}
