import { parseArgs } from 'node:util'
import { costs } from './costs.js'
import { footprint } from './footprint.js'
import { growth } from './growth.js'
import { index } from './index-catch-up.js'
import type { Benchmark } from './lib/benchmark.js'
import { requests } from './requests.js'
import { slow } from './slow-clients.js'
import { streaming } from './streaming.js'

/** `npm run bench [-- name … [--only part] [--smoke]]`: all benchmarks, or those that are named. */
const BENCHMARKS: Record<string, Benchmark> = { requests, streaming, slow, costs, footprint, growth, index }

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
