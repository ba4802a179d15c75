import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults/all.js'
import type { Ledger } from './lib/ledger.js'
import { purchaseReport } from './purchases/report.js'
import { torturePurchases } from './purchases/rounds.js'
import { reportOf } from './report.js'
import { torture } from './rounds.js'

/**
 * `npm run torture [-- --minutes N] [--seed S] [--only fault …] [--embedded N] [--postgres N] [--report FILE]`: injects faults into a complete world one
 * after another, and checks the same invariants after each. `--only purchase` does so to a world that sells for signed payments; further ones name its faults.
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
const { only = [] } = values
const sells = only.includes('purchase')
const names = only.filter((name) => name !== 'purchase')
const unknown = sells ? undefined : names.find((name) => !FAULTS.some((fault) => fault.name === name))
if (unknown)
  throw new Error(`There is no fault "${unknown}"; there are: purchase, ${FAULTS.map(({ name }) => name).join(', ')}.`)

const seed = Number(values.seed ?? Date.now() % 2 ** 31) | 0
console.log(`seed ${seed}`)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
const shared = {
  seed,
  signal: stop.signal,
  duration: Number(values.minutes) * 60_000,
  onLine: (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
}

async function everything(): Promise<[string, Ledger]> {
  const instances = { embedded: Number(values.embedded), postgres: Number(values.postgres) }
  const faults = names.length > 0 ? FAULTS.filter(({ name }) => names.includes(name)) : FAULTS
  const result = await torture({ ...shared, faults, instances })
  return [reportOf(result), result.ledger]
}

async function purchases(): Promise<[string, Ledger]> {
  const faults = names.length > 0 ? { faults: names } : {}
  const result = await torturePurchases({ ...shared, ...faults, instances: Number(values.postgres) })
  return [purchaseReport(result), result.ledger]
}

const [report, ledger] = await (sells ? purchases() : everything())
if (values.report) writeFileSync(values.report, report)
console.log(report)
process.exit(ledger.findings.length > 0 ? 1 : 0)
