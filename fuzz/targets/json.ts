import fc from 'fast-check'
import { JsonBoundsError, parseJson } from '../../src/json.js'
import { DDO_4, FUNCTION_ABI } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const BOUNDS = { values: 2000, keys: 500, depth: 20 }

/** The shape of JSON text, counted before it is parsed. */
export default target({
  inputs: fc.oneof(mutatedJson(fc.constantFrom<unknown>(DDO_4, FUNCTION_ABI)), oddText()),
  refuses: (error) => error instanceof JsonBoundsError || error instanceof SyntaxError,
  read(text: string) {
    const { values, keys, depth } = sizeOf(parseJson(text, BOUNDS))
    holds(values <= BOUNDS.values + 1, 'no more values pass than are allowed')
    holds(keys <= BOUNDS.keys, 'no more keys pass than are allowed')
    holds(depth <= BOUNDS.depth, 'no deeper value passes than is allowed')
  },
})

function sizeOf(value: unknown): typeof BOUNDS {
  const size = { values: 1, keys: 0, depth: 0 }
  if (typeof value !== 'object' || value === null) return size
  if (!Array.isArray(value)) size.keys += Object.keys(value).length
  size.depth = 1
  for (const inner of Object.values(value).map(sizeOf)) {
    size.values += inner.values
    size.keys += inner.keys
    size.depth = Math.max(size.depth, inner.depth + 1)
  }
  return size
}
