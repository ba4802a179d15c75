import fc from 'fast-check'
import { byteRange } from '../../../packages/storage/src/http/ranges.js'
import { mutatedText } from '../lib/mutate.js'
import { BOUNDARY_NUMBERS, edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const honest = fc.constantFrom('bytes=0-', 'bytes=0-99', 'bytes=-5', 'bytes=100-200', 'bytes=0-0,5-6', 'items=0-1')
const sizes = fc.oneof(
  fc.nat(),
  fc.constantFrom(...BOUNDARY_NUMBERS.filter((size) => Number.isSafeInteger(size) && size >= 0)),
)

/** Ranges that consumers request, of files of any size. */
export default target({
  inputs: fc.record({ header: fc.oneof(mutatedText(honest), edgeCaseText()), size: sizes }),
  read({ header, size }) {
    const range = byteRange(header, size)
    if (range === undefined || range === 'unsatisfiable') return
    const { start, end } = range
    holds(start >= 0 && start <= end && end < size, 'a range lies within the file')
    holds(/^\d+-\d+$/.test(`${start}-${end}`), 'a range can be formatted')
  },
})
