import fc from 'fast-check'
import type { AbiFunction } from 'viem'
import { COMMON_LIMITS } from '../../../packages/common/src/limits.js'
import { AbiError, readFunctionAbi } from '../../../packages/storage/src/kinds/smartcontract/abi-types.js'
import { contractCall } from '../../../packages/storage/src/kinds/smartcontract/arguments.js'
import { decodeContractResult } from '../../../packages/storage/src/kinds/smartcontract/decode-result.js'
import { STORAGE_LIMITS } from '../../../packages/storage/src/limits.js'
import { FUNCTION_ABI, FUNCTION_ARGUMENTS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const base = fc.constantFrom(
  'address',
  'bool',
  'string',
  'bytes',
  'bytes32',
  'uint',
  'int8',
  'uint256',
  'tuple',
  'uint7',
  'function',
)
const suffix = fc.array(fc.constantFrom('[]', '[2]', '[1024]', '[0]', '[01]', '[1025]', '[ 1]'), { maxLength: 5 })
const type = fc.tuple(base, suffix).map(([name, dimensions]) => name + dimensions.join(''))
const { parameter } = fc.letrec<{ parameter: unknown }>((tie) => ({
  parameter: fc.record(
    {
      type,
      name: fc.constantFrom('a', 'b', '', '__proto__'),
      components: fc.array(tie('parameter'), { maxLength: 4 }),
    },
    { requiredKeys: ['type'] },
  ),
}))
const made = fc.record({
  type: fc.constant('function'),
  name: fc.constantFrom('f', '$f', '__proto__', '1', 'f()'),
  stateMutability: fc.constantFrom('view', 'pure', 'payable'),
  inputs: fc.array(parameter, { maxLength: 4 }),
  outputs: fc.array(parameter, { maxLength: 4 }),
})

/** The function ABI of a descriptor, up to the encoded call. */
export default target({
  inputs: fc.oneof(
    { arbitrary: mutated<unknown>(fc.constant(FUNCTION_ABI)), weight: 4 },
    { arbitrary: made, weight: 4 },
    { arbitrary: edgeCaseJson(), weight: 1 },
  ),
  isRejection: (error) => error instanceof AbiError,
  read(input: unknown) {
    const abi = readFunctionAbi(input)
    holds(abi.name.length <= STORAGE_LIMITS.abi.name, 'the name is of bounded length')
    decodeZeros(abi)
    const data = contractCall(abi, FUNCTION_ARGUMENTS)
    holds(
      data.length <= 2 + 2 * (COMMON_LIMITS.contract.call + 4 + 32 * STORAGE_LIMITS.abi.values),
      'the call is of bounded length',
    )
  },
})

/** Zeros decode as some types and are rejected as others, quickly in both cases. */
function decodeZeros(abi: AbiFunction): void {
  try {
    decodeContractResult(abi, `0x${'00'.repeat(4096)}`, COMMON_LIMITS.contract)
  } catch (error) {
    holds(!(error instanceof TypeError), `an accepted ABI can decode return data: ${(error as Error).message}`)
  }
}
