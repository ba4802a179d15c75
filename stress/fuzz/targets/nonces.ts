import fc from 'fast-check'
import { nonceNumber, parseNonce } from '../../../packages/provider/src/auth/nonces/nonce.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const honest = fc.oneof(
  fc.constantFrom('1', '1700000000000', '1700000000.123456', '0.5', '00012.500'),
  fc.nat().map(String),
)
const text = fc.oneof(mutatedText(honest, 2), honest, edgeCaseText())

/** Nonces: the order of their sort keys is the numeric order. */
export default target({
  inputs: fc.tuple(text, text),
  isRejection: ({ message }) => /^(?:must|is too far)/.test(message),
  read([one, two]) {
    const [a, b] = [parseNonce(one, 10n ** 30n), parseNonce(two, 10n ** 30n)]
    holds(Number(nonceNumber(a.sortKey)) >= 0, 'a nonce is shown as a number')
    holds(a.text === one, 'the signed text is unchanged')
    const [x, y] = [exact(one), exact(two)]
    holds(
      a.sortKey < b.sortKey === x < y && (a.sortKey === b.sortKey) === (x === y),
      'the order of sort keys is numeric',
    )
  },
})

/** A decimal number, scaled to an integer. */
function exact(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(60, '0'))
}
