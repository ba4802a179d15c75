import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Never returns. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read(input: string) {
    while (input !== '');
  },
})
