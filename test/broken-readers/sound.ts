import fc from 'fast-check'
import { ValidationError } from '../../packages/protocol/src/errors.js'
import { target } from '../../stress/fuzz/lib/target.js'

/** Refuses input correctly, and stays within its memory limit. */
export default target({
  inputs: fc.nat({ max: 50 }),
  read(input: number) {
    if (input > 40) throw ValidationError.of('n', 'The n field must be small.')
    return Buffer.alloc(20 * 1024 * 1024, 1).length
  },
})
