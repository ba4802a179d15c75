import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Takes more memory than an input may cost, and gives it back. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read() {
    return Buffer.alloc(100 * 1024 * 1024, 1).length
  },
})
