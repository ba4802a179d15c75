import { parseArgs } from 'node:util'
import { historyOf, takeOver } from './simulation/history.js'

/**
 * `npm run simulate [-- --seeds N] [--from S]`: lets the index live through histories of a scripted chain, in which it
 * is reorganised while its nodes fail, lag, come, go and lie, and compares each with an index that is read afresh.
 */
const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' } } })
const from = Number(values.from ?? Date.now() % 2 ** 30)
const count = Number(values.seeds ?? 1000)

takeOver()
let wrong = 0
for (let seed = from; seed < from + count; seed++) {
  const fault = await historyOf(seed).catch((error: Error) => error.stack ?? String(error))
  if (fault === undefined) continue
  wrong += 1
  console.log(`seed ${seed}: ${fault}\n`)
}
console.log(`${count} histories from seed ${from}: ${wrong === 0 ? 'all well' : `${wrong} wrong`}`)
process.exitCode = wrong > 0 ? 1 : 0
