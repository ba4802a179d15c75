import { parseArgs } from 'node:util'
import type { Benchmark } from './lib/benchmark.js'
import { requests } from './requests.js'

/** `npm run bench [-- name … [--only part] [--smoke]]`: all benchmarks, or those that are named. */
const BENCHMARKS: Record<string, Benchmark> = { requests }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, only: { type: 'string' } },
})
for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)) {
  const benchmark = BENCHMARKS[name]
  if (!benchmark) throw new Error(`There is no benchmark ${name}; there are ${Object.keys(BENCHMARKS).join(', ')}.`)
  await benchmark({ smoke: values.smoke, ...(values.only ? { only: values.only } : {}) })
}
process.exit(0)
