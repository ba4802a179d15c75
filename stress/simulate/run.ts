import { parseArgs } from 'node:util'
import { runHistory, useSimulatedEnvironment } from './history.js'
import { runPurchases } from './purchases.js'

/**
 * `npm run simulate [-- --purchases] [--seeds N] [--from S]`: runs the index over histories of a scripted chain, which is reorganised
 * while its nodes fail, lag, restart and lie, and compares the result of each with a freshly built index; or purchases over such
 * histories, which are compared with a slow reference.
 */
const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, purchases: { type: 'boolean' } },
})
const from = Number(values.from ?? Date.now() % 2 ** 30)
const count = Number(values.seeds ?? 1000)

useSimulatedEnvironment()
let wrong = 0
for (let seed = from; seed < from + count; seed++) {
  const fault = await (values.purchases ? runPurchases : runHistory)(seed).catch(
    (error: Error) => error.stack ?? String(error),
  )
  if (fault === undefined) continue
  wrong += 1
  console.log(`seed ${seed}: ${fault}\n`)
}
console.log(`${count} histories from seed ${from}: ${wrong === 0 ? 'all consistent' : `${wrong} wrong`}`)
process.exitCode = wrong > 0 ? 1 : 0
