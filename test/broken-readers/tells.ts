import fc from 'fast-check'
import { ValidationError } from '../../packages/protocol/src/errors.js'
import { SECRET, target } from '../../stress/fuzz/lib/target.js'

/** Quotes its input in the refusal. */
export default target({
  inputs: fc.constantFrom('a', 'b', SECRET),
  read(input: string) {
    throw ValidationError.of('url', `The url field must not be ${input}.`)
  },
})
