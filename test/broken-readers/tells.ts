import fc from 'fast-check'
import { SECRET, target } from '../../fuzz/lib/target.js'
import { ValidationError } from '../../src/errors.js'

/** Quotes its input in the refusal. */
export default target({
  inputs: fc.constantFrom('a', 'b', SECRET),
  read(input: string) {
    throw ValidationError.of('url', `The url field must not be ${input}.`)
  },
})
