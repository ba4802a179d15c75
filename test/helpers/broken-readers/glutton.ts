import fc from 'fast-check'
import { target } from '../../../fuzz/lib/target.js'

/** Takes memory without an end. */
export default target({
  inputs: fc.nat({ max: 50 }),
  read(input: number) {
    const all: object[] = []
    while (input > 40) all.push(Array(100_000).fill(0))
  },
})
