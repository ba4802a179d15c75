import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Uses the CPU for a third of a second. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read() {
    const begun = process.cpuUsage()
    for (let used = 0, at = 0; used < 330_000; at++) {
      // reading the time is work of the kernel
      if (at % 100_000 !== 0) continue
      const { user, system } = process.cpuUsage(begun)
      used = user + system
    }
  },
})
