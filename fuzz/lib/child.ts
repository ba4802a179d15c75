import { openSync, writeSync } from 'node:fs'
import { keptInputs } from './corpus.js'
import { encode } from './encoding.js'
import { inputOf, inputsOf, smallest } from './inputs.js'
import { type Fault, judge } from './judge.js'
import type { AnyTarget } from './target.js'

/** What a process of its own does: a round of inputs for each of the targets, one after the other. */
export interface Work {
  targets: { name: string; module: string; from: number }[]
  seed: number
  /** Inputs of each target that does not say so itself, or milliseconds for each. */
  runs?: number
  slice?: number
  /** Whether kept inputs come first. */
  kept: boolean
  corpus: string
  /** The file in which it says what it is doing. */
  progress: string
}

/** What it tells about: a fault, or that a target is done after so many inputs. */
export type Told =
  | { target: string; fault: Fault; seed?: number; file?: string; input: unknown }
  | { target: string; done: number }

/** Faults of one target that are told: further ones are mostly the same. */
const MOST_FAULTS = 5

const work = JSON.parse(process.argv[2] as string) as Work
const progress = openSync(work.progress, 'r+')
const tell = (told: Told) => new Promise((resolve) => process.send?.(told, resolve))

/** Says which input comes now: if it is the last one, nobody else can say so. */
function begin(target: number, seed: number, kept: boolean, count: number): void {
  tick += 1
  writeSync(progress, JSON.stringify({ target, seed, kept, count, tick }).padEnd(LINE), 0)
}

/** Tells inputs apart that are made smaller, one after the other. */
let tick = 0

/** Characters of what it says; none but spaces while there is no input. */
const LINE = 120

async function round(index: number): Promise<void> {
  const { name, module, from } = work.targets[index] as Work['targets'][number]
  const target = (await import(module)).default as AnyTarget
  const inputs = inputsOf(name, target, work.corpus)
  const told = new Set<string>()
  const isNew = ({ kind, what }: Fault) => !told.has(kind + what.replace(/\d+/g, '')) && told.size < MOST_FAULTS
  for (const [at, { file, input }] of work.kept && from === 0 ? keptInputs(name, work.corpus).entries() : []) {
    const now = () => begin(index, at, true, 0)
    now()
    const fault = await judge(target, input, now)
    if (fault) await tell({ target: name, fault, file, input: encode(input) })
  }
  const end = work.slice === undefined ? undefined : performance.now() + work.slice
  const runs = target.runs === undefined ? (work.runs ?? 0) : Math.min(target.runs, work.runs ?? 0)
  let count = from
  for (; end === undefined ? count < runs : performance.now() < end; count++) {
    const seed = (work.seed + count) | 0
    const input = inputOf(inputs, seed)
    const now = () => begin(index, seed, false, count)
    now()
    const fault = await judge(target, input, now)
    if (!fault || !isNew(fault)) continue
    told.add(fault.kind + fault.what.replace(/\d+/g, ''))
    const least = await smallest(inputs, seed, async (near) => {
      now()
      return (await judge(target, near, now))?.kind === fault.kind
    })
    await tell({ target: name, fault, seed, input: encode(least) })
  }
  writeSync(progress, ' '.repeat(LINE), 0)
  await tell({ target: name, done: count })
}

for (const index of work.targets.keys()) await round(index)
process.exit(0)
