import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults/all.js'
import { reportOf } from './report.js'
import { torture } from './rounds.js'

/**
 * `npm run torture [-- --minutes N] [--seed S] [--only fault …] [--embedded N] [--postgres N] [--report FILE]`: injects faults into a complete world one
 * after another, and checks the same invariants after each.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
    /** Instances on each database. */
    embedded: { type: 'string', default: '2' },
    postgres: { type: 'string', default: '2' },
    report: { type: 'string' },
  },
})
const only = values.only
const unknown = only?.find((name) => !FAULTS.some((fault) => fault.name === name))
if (unknown) throw new Error(`There is no fault "${unknown}"; there are: ${FAULTS.map(({ name }) => name).join(', ')}.`)

const seed = Number(values.seed ?? Date.now() % 2 ** 31) | 0
const faults = only ? FAULTS.filter(({ name }) => only.includes(name)) : FAULTS
console.log(`seed ${seed}`)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const result = await torture({
  seed,
  faults,
  instances: { embedded: Number(values.embedded), postgres: Number(values.postgres) },
  signal: stop.signal,
  duration: Number(values.minutes) * 60_000,
  onLine: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
})
const report = reportOf(result)
if (values.report) writeFileSync(values.report, report)
console.log(report)
process.exit(result.ledger.findings.length > 0 ? 1 : 0)
