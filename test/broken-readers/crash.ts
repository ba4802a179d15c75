import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Leaves a callback behind that crashes the process. */
export default target({
  inputs: fc.nat({ max: 50 }),
  async read(input: number) {
    if (input > 40) setImmediate(() => (undefined as unknown as { length: number }).length)
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  },
})
