import fc from 'fast-check'
import { target } from '../../stress/fuzz/lib/target.js'

/** Throws an unexpected error. */
export default target({
  inputs: fc.array(fc.nat({ max: 9 }), { minLength: 0, maxLength: 20 }),
  read(input: number[]) {
    if (input.includes(7)) (null as unknown as number[]).push(1)
  },
})
