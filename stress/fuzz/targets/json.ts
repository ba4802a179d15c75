import fc from 'fast-check'
import { JsonBoundsError, parseJson } from '../../../packages/protocol/src/json.js'
import { DDO_4, FUNCTION_ABI } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const BOUNDS = { values: 2000, keys: 500, depth: 20 }

/** The shape of JSON text, which is checked before parsing. */
export default target({
  inputs: fc.oneof(mutatedJson(fc.constantFrom<unknown>(DDO_4, FUNCTION_ABI)), edgeCaseText()),
  isRejection: (error) => error instanceof JsonBoundsError || error instanceof SyntaxError,
  read(text: string) {
    const { values, keys, depth } = sizeOf(parseJson(text, BOUNDS))
    holds(values <= BOUNDS.values + 1, 'the number of values is bounded')
    holds(keys <= BOUNDS.keys, 'the number of keys is bounded')
    holds(depth <= BOUNDS.depth, 'the depth is bounded')
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
