import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Takes more memory than an input may cost, and gives it back. */
export default target({
  inputs: fc.nat({ max: 50 }),
  read(input: number) {
    return input > 40 ? Buffer.alloc(100 * 1024 * 1024, 1).length : 0
  },
})
