import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Uses the CPU for more than a second. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read() {
    const begun = process.cpuUsage()
    for (let used = 0; used < 1_200_000; ) {
      const { user, system } = process.cpuUsage(begun)
      used = user + system
    }
  },
})
