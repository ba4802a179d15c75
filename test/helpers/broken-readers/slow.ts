import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Takes the processor for more than a second for some inputs. */
export default target({
  inputs: fc.nat({ max: 50 }),
  read(input: number) {
    const begun = process.cpuUsage()
    while (input > 40 && process.cpuUsage(begun).user < 1_200_000);
  },
})
