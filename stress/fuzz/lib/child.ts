import { openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { savedInputs } from './corpus.js'
import { encode } from './encoding.js'
import { inputOf, inputsOf, shrink } from './inputs.js'
import { type Fault, judge } from './judge.js'
import type { AnyTarget } from './target.js'

/** The work of a child process: a round of inputs for each target, sequentially. */
export interface Work {
  targets: { name: string; module: string; from: number }[]
  seed: number
  /** Inputs for each target, unless it sets a lower number. */
  runs?: number
  /** Milliseconds for each target, instead of a number of inputs. */
  slice?: number
  /** Whether to replay the saved inputs first. */
  replayCorpus: boolean
  corpus: string
  /** Milliseconds of processor time that an input may take; by default that of `BUDGET`. */
  limit?: number
  /** File to which the input in progress is written. */
  progress: string
}

/** A message to the supervisor: a fault, or that a target is done after so many inputs. */
export type ChildMessage =
  | { target: string; fault: Fault; seed?: number; file?: string; input: unknown }
  | { target: string; done: number }

/** Faults reported for one target; further ones are mostly duplicates. */
const MAX_FAULTS = 5

const work = JSON.parse(process.argv[2] as string) as Work
// temporary files of targets are removed with this folder; set only now, when modules have been read from tsx's own cache
process.env.TMPDIR = dirname(work.progress)
const progress = openSync(work.progress, 'r+')
const send = (message: ChildMessage) => new Promise((resolve) => process.send?.(message, resolve))

/** Records the next input, so that the supervisor can name it if it ends this process. */
function begin(target: number, seed: number, kept: boolean, count: number): void {
  tick += 1
  writeSync(progress, JSON.stringify({ target, seed, kept, count, tick }).padEnd(LINE), 0)
}

/** Changes with every input, also while one is being shrunk. */
let tick = 0

/** Length of a progress record in characters; all spaces while no input is in progress. */
const LINE = 120

async function round(index: number): Promise<void> {
  const { name, module, from } = work.targets[index] as Work['targets'][number]
  const target = (await import(module)).default as AnyTarget
  const inputs = inputsOf(name, target, work.corpus)
  const reported = new Set<string>()
  const isNew = ({ kind, what }: Fault) => !reported.has(kind + what.replace(/\d+/g, '')) && reported.size < MAX_FAULTS
  for (const [at, { file, input }] of work.replayCorpus && from === 0 ? savedInputs(name, work.corpus).entries() : []) {
    const record = () => begin(index, at, true, 0)
    record()
    const fault = await judge(target, input, record, work.limit)
    if (fault) await send({ target: name, fault, file, input: encode(input) })
  }
  const end = work.slice === undefined ? undefined : performance.now() + work.slice
  const runs = target.runs === undefined ? (work.runs ?? 0) : Math.min(target.runs, work.runs ?? 0)
  let count = from
  for (; end === undefined ? count < runs : performance.now() < end; count++) {
    const seed = (work.seed + count) | 0
    const input = inputOf(inputs, seed)
    const record = () => begin(index, seed, false, count)
    record()
    const fault = await judge(target, input, record, work.limit)
    if (!fault || !isNew(fault)) continue
    reported.add(fault.kind + fault.what.replace(/\d+/g, ''))
    const minimal = await shrink(inputs, seed, async (smaller) => {
      record()
      return (await judge(target, smaller, record, work.limit))?.kind === fault.kind
    })
    await send({ target: name, fault, seed, input: encode(minimal) })
  }
  writeSync(progress, ' '.repeat(LINE), 0)
  await send({ target: name, done: count })
}

for (const index of work.targets.keys()) await round(index)
process.exit(0)
