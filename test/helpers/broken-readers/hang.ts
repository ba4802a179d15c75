import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Never comes to an end for some inputs. */
export default target({
  inputs: fc.nat({ max: 50 }),
  read(input: number) {
    while (input > 40);
  },
})
