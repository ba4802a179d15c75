import { readdirSync } from 'node:fs'
import { measured } from '../../../../test/helpers/measured.js'
import { type CatchUp, catchUp } from './catch-up.js'

/** The cost of catching up in a process of its own: peak growth of memory in MiB, longest event-loop delay in milliseconds, open files. */
export interface CatchUpCost {
  grown: number
  held: number
  descriptors: number
  result: CatchUp
}

const [url = '', concurrency] = process.argv.slice(2)
const { grown, held, result } = await measured(() => catchUp(url, Number(concurrency)))
const cost: CatchUpCost = { grown, held, result, descriptors: readdirSync('/proc/self/fd').length }
process.stdout.write(JSON.stringify(cost))
