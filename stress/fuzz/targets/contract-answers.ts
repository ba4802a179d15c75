import fc from 'fast-check'
import { encodeAbiParameters, type Hex } from 'viem'
import { COMMON_LIMITS } from '../../../packages/common/src/limits.js'
import { readFunctionAbi } from '../../../packages/storage/src/kinds/smartcontract/abi-types.js'
import { decodeContractResult } from '../../../packages/storage/src/kinds/smartcontract/decode-result.js'
import { FUNCTION_ABI, TX } from '../lib/honest.js'
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const ABIS = [
  FUNCTION_ABI,
  ...['string', 'bytes', 'string[]', 'uint8[][][]', 'bool[1024]', 'bytes32[][2]'].map((type) => ({
    ...FUNCTION_ABI,
    outputs: [{ type, name: '__proto__' }],
  })),
].map(readFunctionAbi)
const rows = [{ at: 3n, inner: { raw: '0x0102' as const, ok: true } }]
const VALUES: unknown[][] = [
  [
    -5n,
    ['a', 'ü'],
    rows,
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
  ],
  ...[['Husum'], ['0x0102'], [['a', 'bc']], [[[[1, 2], [3]], []]], [Array(1024).fill(true)], [[[TX], [TX, TX]]]],
]
const HONEST = ABIS.map(({ outputs }, at) => encodeAbiParameters(outputs, VALUES[at] as never))

const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex') as Uint8Array
/** ABI words that refer to each other: offsets and lengths of a few values. */
const words = fc
  .array(fc.constantFrom(0, 1, 2, 32, 64, 96, 128, 1000, 4096, 0xffffffff), { maxLength: 64 })
  .map((list) => bytes(`0x${list.map((word) => word.toString(16).padStart(64, '0')).join('')}`))

/** Return data of a contract, decoded by the ABI of the descriptor. */
export default target({
  inputs: fc.nat({ max: ABIS.length - 1 }).chain((abi) =>
    fc.record({
      abi: fc.constant(abi),
      data: fc.oneof(mutatedBytes(fc.constant(bytes(HONEST[abi] as Hex))), words, mutatedBytes(words)),
    }),
  ),
  // any other error counts as a failed call: smartcontract.ts
  isRejection: (error) => !(error instanceof TypeError),
  read({ abi, data }) {
    const text = decodeContractResult(
      ABIS[abi % ABIS.length] as never,
      `0x${Buffer.from(data).toString('hex')}`,
      COMMON_LIMITS.contract,
    )
    JSON.parse(text)
    holds(text.length <= 16 * COMMON_LIMITS.contract.result, 'the decoded text is of bounded length')
  },
})
