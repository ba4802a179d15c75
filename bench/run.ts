import { parseArgs } from 'node:util'
import { calls } from './calls.js'
import { catalogue } from './catalogue.js'
import { client } from './client.js'
import { consolePage } from './console.js'
import { costs } from './costs.js'
import { footprint } from './footprint.js'
import { growth } from './growth.js'
import { hosting } from './hosting.js'
import { index } from './index-catch-up.js'
import { ipfs } from './ipfs.js'
import type { Benchmark } from './lib/benchmark.js'
import { endShared } from './lib/stage.js'
import { requests } from './requests.js'
import { scale } from './scale.js'
import { search } from './search.js'
import { slow } from './slow-clients.js'
import { streaming } from './streaming.js'

/** `npm run bench [-- name … [--only part] [--smoke]]`: runs all benchmarks, or the named ones. */
const BENCHMARKS: Record<string, Benchmark> = {
  // first: those of a smoke run that follow share a service in this process, whose statements would be counted as well
  costs,
  requests,
  calls,
  streaming,
  slow,
  footprint,
  growth,
  scale,
  index,
  search,
  catalogue,
  client,
  console: consolePage,
  ipfs,
  hosting,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, only: { type: 'string' } },
})
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)) {
    const benchmark = BENCHMARKS[name]
    if (!benchmark) throw new Error(`There is no benchmark ${name}; there are ${Object.keys(BENCHMARKS).join(', ')}.`)
    await benchmark({ smoke: values.smoke, ...(values.only ? { only: values.only } : {}) })
  }
} finally {
  await endShared()
}
process.exit(0)
