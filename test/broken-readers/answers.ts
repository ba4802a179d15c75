import fc from 'fast-check'
import { holds, target } from '../../stress/fuzz/lib/target.js'

/** Returns wrong results. */
export default target({
  inputs: fc.nat({ max: 1000 }),
  read(input: number) {
    holds(input < 10, 'the answer is small')
  },
})
