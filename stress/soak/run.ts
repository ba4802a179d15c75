import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * `npm run soak [-- --minutes N] [--seed S] [--rate R] [--database postgres|embedded] [--instances N] [--report FILE]`:
 * runs a mixed load with faults for hours, and checks all the while that nothing is lost, wrong, leaked, or grows.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    rate: { type: 'string', default: '30' },
    database: { type: 'string', default: 'postgres' },
    instances: { type: 'string' },
    report: { type: 'string' },
  },
})
const { database } = values
if (database !== 'postgres' && database !== 'embedded')
  throw new Error(`--database is postgres or embedded, not ${database}.`)
const positive = (name: 'minutes' | 'rate' | 'instances', text: string) => {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} must be a number above 0, not ${text}.`)
  return number
}

const seed = Number(values.seed ?? Date.now() % 2 ** 31) | 0
const stop = new AbortController()
/** Milliseconds within which signals are one: a terminal and the program that runs this one both send it. */
const SAME_SIGNAL = 2000
let stopped = Number.POSITIVE_INFINITY
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
// what PostgreSQL is started with adds handlers that would end this process before the report
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]))
const [{ FAULTS }, { reportOf }, { soak }] = await Promise.all([
  import('../torture/faults/all.js'),
  import('./report.js'),
  import('./soak.js'),
])
for (const signal of SIGNALS) {
  for (const listener of process.listeners(signal))
    if (!before.get(signal)?.includes(listener)) process.off(signal, listener)
  process.on(signal, () => {
    if (Date.now() - stopped > SAME_SIGNAL) process.exit(130)
    stopped = Math.min(stopped, Date.now())
    stop.abort()
  })
}
console.log(`seed ${seed}`)
const result = await soak({
  seed,
  database,
  instances: positive('instances', values.instances ?? (database === 'postgres' ? '2' : '1')),
  rate: positive('rate', values.rate),
  faults: FAULTS,
  faultsPerPhase: 12,
  duration: positive('minutes', values.minutes) * 60_000,
  signal: stop.signal,
  onLine: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
})
const report = reportOf(result)
if (values.report) writeFileSync(values.report, report)
console.log(report)
process.exit(result.ledger.findings.length > 0 ? 1 : 0)
