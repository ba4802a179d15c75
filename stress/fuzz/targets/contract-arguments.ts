import fc from 'fast-check'
import { COMMON_LIMITS } from '../../../packages/common/src/limits.js'
import { readFunctionAbi } from '../../../packages/storage/src/kinds/smartcontract/abi-types.js'
import { contractCall } from '../../../packages/storage/src/kinds/smartcontract/arguments.js'
import { FUNCTION_ABI, FUNCTION_ARGUMENTS } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const ABI = readFunctionAbi(FUNCTION_ABI)

/** A consumer's values as the arguments of a contract call. */
export default target({
  inputs: mutated<Record<string, unknown>>(fc.constant(FUNCTION_ARGUMENTS)),
  read(input: unknown) {
    if (typeof input !== 'object' || input === null) return
    const data = contractCall(ABI, input as Record<string, unknown>)
    holds(/^0x(?:[0-9a-f]{2})+$/.test(data), 'the call is bytes')
    holds(data.length <= 2 + 2 * (COMMON_LIMITS.contract.call + 1024), 'the call is of bounded length')
  },
})
