import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Allocates memory without end. */
export default target({
  inputs: fc.constant('x'),
  runs: 1,
  read(input: string) {
    const all: object[] = []
    // numbers that collections need not look at, of which there are many before the end
    while (input !== '') all.push(Array(100_000).fill(0.5))
  },
})
