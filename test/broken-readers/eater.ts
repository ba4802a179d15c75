import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Uses more memory than an input may cost, and frees it. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read() {
    return Buffer.alloc(128 * 1024 * 1024, 1).length
  },
})
