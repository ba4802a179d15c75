import { parseArgs } from 'node:util'
import { keep } from './lib/corpus.js'
import { decode } from './lib/encoding.js'
import { type Finding, supervised } from './lib/supervise.js'
import { TARGETS } from './lib/targets.js'

/**
 * `npm run fuzz [-- name … --minutes N | --runs N] [--seed S]`: feeds generated and kept input to every reader of what
 * comes from outside, or to those that are named, for so long in all. What fails is told, and kept in `corpus/`.
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

/** Milliseconds for one target before it is the turn of the next. */
const SLICE = 10_000
/** Seeds between two rounds: more than a slice can use. */
const STEP = 10_000_019

const total = new Map<string, number>()
const known = new Set<string>()
for (let round = 0; ; round++) {
  const left = end - performance.now()
  const slice = Math.min(SLICE, Math.max(left / targets.size, 100))
  const how = values.runs === undefined ? { slice } : { runs: Number(values.runs) }
  const { findings, inputs } = await supervised({ targets, seed: (seed + round * STEP) | 0, kept: round === 0, ...how })
  for (const [name, count] of inputs) total.set(name, (total.get(name) ?? 0) + count)
  for (const finding of findings) report(finding)
  if (values.runs !== undefined || performance.now() >= end - 1000) break
}
for (const name of targets.keys()) console.log(`${name.padEnd(24)} ${total.get(name) ?? 0} inputs`)
console.log(`seed ${seed}: ${known.size === 0 ? 'nothing found' : `${known.size} found`}`)
process.exitCode = known.size > 0 ? 1 : 0

function report({ target, fault, seed: from, file, input }: Finding): void {
  const words = `${fault.kind}: ${fault.what}`
  // the same place again, in another round
  const signature = `${target} ${words.replace(/\d+/g, '')}`
  if (known.has(signature)) return
  known.add(signature)
  const kept = file ?? keep(target, `${words.split('\n')[0]} (seed ${from})`, decode(input))
  console.log(`\n${target}: ${words}\n  kept as ${kept}\n  ${JSON.stringify(input).slice(0, 600)}`)
}
