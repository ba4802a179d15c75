import { parseArgs } from 'node:util'
import { saveInput } from './lib/corpus.js'
import { decode } from './lib/encoding.js'
import { type Finding, runSupervised } from './lib/supervise.js'
import { TARGETS } from './lib/targets.js'

/**
 * `npm run fuzz [-- name … --minutes N | --runs N] [--seed S]`: feeds generated and saved inputs to every reader of
 * untrusted input, or to the named ones, for N minutes in all. Failures are reported, and saved in `corpus/`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string' }, runs: { type: 'string' }, seed: { type: 'string' } },
})
const unknown = positionals.find((name) => !TARGETS.has(name))
if (unknown) throw new Error(`There is no target ${unknown}; there are ${[...TARGETS.keys()].join(', ')}.`)

const targets = new Map([...TARGETS].filter(([name]) => positionals.length === 0 || positionals.includes(name)))
const seed = Number(values.seed ?? Date.now() % 2 ** 31) | 0
const end = performance.now() + Number(values.minutes ?? 1) * 60_000

/** Time slice of one target, in milliseconds. */
const SLICE = 10_000
/** Offset between the seeds of two rounds: more than a slice can use. */
const SEED_STEP = 10_000_019

const total = new Map<string, number>()
const known = new Set<string>()
for (let round = 0; ; round++) {
  const left = end - performance.now()
  const slice = Math.min(SLICE, Math.max(left / targets.size, 100))
  const limit = values.runs === undefined ? { slice } : { runs: Number(values.runs) }
  const { findings, inputs } = await runSupervised({
    targets,
    seed: (seed + round * SEED_STEP) | 0,
    replayCorpus: round === 0,
    ...limit,
  })
  for (const [name, count] of inputs) total.set(name, (total.get(name) ?? 0) + count)
  for (const finding of findings) report(finding)
  if (values.runs !== undefined || performance.now() >= end - 1000) break
}
for (const name of targets.keys()) console.log(`${name.padEnd(24)} ${total.get(name) ?? 0} inputs`)
console.log(`seed ${seed}: ${known.size === 0 ? 'nothing found' : `${known.size} found`}`)
process.exitCode = known.size > 0 ? 1 : 0

function report({ target, fault, seed: from, file, input }: Finding): void {
  const description = `${fault.kind}: ${fault.what}`
  // deduplicated across rounds
  const signature = `${target} ${description.replace(/\d+/g, '')}`
  if (known.has(signature)) return
  known.add(signature)
  const kept = file ?? saveInput(target, `${description.split('\n')[0]} (seed ${from})`, decode(input))
  console.log(`\n${target}: ${description}\n  kept as ${kept}\n  ${JSON.stringify(input).slice(0, 600)}`)
}
