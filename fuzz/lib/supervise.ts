import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Told, Work } from './child.js'
import { CORPUS, keptInputs } from './corpus.js'
import { encode } from './encoding.js'
import { inputOf, inputsOf } from './inputs.js'
import type { Fault } from './judge.js'
import type { AnyTarget } from './target.js'

/** A fault with the input that leads to it. */
export interface Finding {
  target: string
  fault: Fault
  /** The seed of a generated input, or the name of the kept one. */
  seed?: number
  file?: string
  /** As it is kept. */
  input: unknown
}

export interface Round {
  /** Targets by name, with the URLs of their modules. */
  targets: ReadonlyMap<string, string>
  seed: number
  /** Inputs of each target, or milliseconds for each. */
  runs?: number
  slice?: number
  kept?: boolean
  corpus?: string
  /** Milliseconds of the processor after which an input that nothing came of is taken for one that nothing will come of. */
  patience?: number
}

/** MiB of objects of the process: who takes more is ended by it. */
const HEAP = 320
const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * Feeds each target, in a process of its own that may be held, eat its memory or end: the input that did it is told
 * all the same, and the round goes on behind it. Answers what was found, and how many inputs each target was given.
 */
export async function supervised(round: Round): Promise<{ findings: Finding[]; inputs: Map<string, number> }> {
  const { seed, runs, slice, kept = true, corpus = CORPUS, patience = 5000 } = round
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-fuzz-'))
  const progress = join(folder, 'progress')
  const findings: Finding[] = []
  const inputs = new Map<string, number>()
  let left = [...round.targets].map(([name, module]) => ({ name, module, from: 0 }))
  try {
    while (left.length > 0) {
      writeFileSync(progress, '')
      const work: Work = { targets: left, seed, kept, corpus, progress, ...(runs === undefined ? {} : { runs }) }
      if (slice !== undefined) work.slice = slice
      const ended = await run(work, patience, (told) => {
        if ('fault' in told) findings.push(told)
        else inputs.set(told.target, told.done)
      })
      if (ended === undefined) break
      const last = lastOf(progress)
      if (!last) throw new Error(`The process of the targets ended before its first input: ${ended.what}`)
      const culprit = left[last.target] as Work['targets'][number]
      findings.push({ ...(await inputAt(culprit, last, corpus)), target: culprit.name, fault: ended })
      // behind the input that ended it; with kept ones, or by time, the next target
      const onward = last.kept || slice !== undefined ? [] : [{ ...culprit, from: last.count + 1 }]
      const ends = findings.filter(({ target, fault }) => target === culprit.name && /end|time/.test(fault.kind))
      left = [...(ends.length < MOST_ENDS ? onward : []), ...left.slice(last.target + 1)]
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return { findings, inputs }
}

/** How often one target may end its process until it is left alone. */
const MOST_ENDS = 2

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
    const { file, input } = keptInputs(name, corpus)[seed] as { file: string; input: unknown }
    return { file, input: encode(input) }
  }
  const target = (await import(module)).default as AnyTarget
  return { seed, input: encode(inputOf(inputsOf(name, target, corpus), seed)) }
}

/** Runs the process to its end; undefined where it came to a good one. */
function run(work: Work, patience: number, onTold: (told: Told) => void): Promise<Fault | undefined> {
  return new Promise((resolve, reject) => {
    const execArgv = ['--import', 'tsx', '--expose-gc', `--max-old-space-size=${HEAP}`, '--max-semi-space-size=4']
    // what targets put into temporary files goes with it
    const child = fork(CHILD, [JSON.stringify(work)], {
      execArgv,
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: { ...process.env, TMPDIR: dirname(work.progress) },
    })
    let said = ''
    let [seen, since, used, held] = ['', 0, 0, false]
    child.stderr?.on('data', (text: Buffer) => {
      said = (said + text).slice(-4000)
    })
    child.on('message', (told: Told) => onTold(told))
    const timer = setInterval(() => {
      const now = readFileSync(work.progress, 'utf8').trim()
      // a target whose fault is being made smaller says so by each input that it is given
      if (now !== seen || now === '') [seen, since, used] = [now, performance.now(), processorTime(child.pid)]
      held = processorTime(child.pid) - used > patience || performance.now() - since > MOST_PATIENCE
      if (held) child.kill('SIGKILL')
    }, 200)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearInterval(timer)
      if (code === 0) resolve(undefined)
      else if (held) resolve({ kind: 'time', what: 'nothing came of it' })
      else resolve({ kind: 'end', what: `the process ended (${signal ?? code}): ${lines(said)}` })
    })
  })
}

/** Milliseconds after which an input is given up in any case: it may wait for what never happens. */
const MOST_PATIENCE = 60_000

/** Milliseconds of the processor that a process has used; elsewhere than on Linux those since 1970, as if it had it alone. */
function processorTime(pid = 0): number {
  try {
    const [, state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const [user, system] = state.split(' ').slice(11, 13).map(Number) as [number, number]
    return (user + system) * TICK
  } catch {
    return Date.now()
  }
}

/** Milliseconds of a tick, by which Linux tells times. */
const TICK = 10

/** What the process said last, without the addresses of a crash. */
function lines(said: string): string {
  const words = said.split('\n').filter((line) => /\S/.test(line) && !/^\s*(?:\d+: 0x|<---|-----)/.test(line))
  return words.slice(-12).join('\n      ')
}
