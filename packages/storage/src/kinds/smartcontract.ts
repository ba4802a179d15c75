import { Readable } from 'node:stream'
import { abortable, abortSignal, COMMON_LIMITS } from '@tidegate/common'
import { ChainError, isAddressText, SandboxError, StorageError, ValidationError } from '@tidegate/protocol'
import { type AbiFunction, type Address, getAddress, type Hex } from 'viem'
import * as z from 'zod'
import type { RequestContext, Storage } from '../storage.js'
import { describeFailure } from '../storage-failures.js'
import { AbiError, readFunctionAbi } from './smartcontract/abi-types.js'
import { contractCall } from './smartcontract/arguments.js'
import { decodeContractResult } from './smartcontract/decode-result.js'
import type { StorageTools } from './tools.js'

const functionAbi = z.unknown().transform((value, context): AbiFunction => {
  try {
    return readFunctionAbi(value)
  } catch (error) {
    if (!(error instanceof AbiError)) throw error
    context.addIssue(error.message)
    return z.NEVER
  }
})

const contractFile = z.object({
  type: z.literal('smartcontract'),
  chainId: z.number().int().positive(),
  address: z.unknown().refine(isAddressText, 'must be an address'),
  abi: functionAbi,
})

export interface ContractFile extends z.infer<typeof contractFile> {
  address: Address
}

/** Creates the storage for results of contract calls, in JSON. */
export function contractStorage({ readContract, decodeResult }: StorageTools): Storage<ContractFile> {
  async function call(file: ContractFile, context: RequestContext): Promise<Buffer> {
    const callData = contractCall(file.abi, context.userdata ?? {})
    const { signal } = context
    const request = readContract(
      file.chainId,
      getAddress(file.address),
      callData,
      COMMON_LIMITS.contract.result,
      abortSignal(signal),
    )
    const data = await abortable(request, signal)
    if (data === undefined) throw noAnswer()
    try {
      return Buffer.from(await decoded(file.abi, data, context))
    } catch (error) {
      throw error instanceof SandboxError ? error : noAnswer()
    }
  }

  async function decoded(abi: AbiFunction, data: Hex, { signal, budget }: RequestContext): Promise<string> {
    const { small } = COMMON_LIMITS.contract
    if (data.length <= 2 + 2 * small.bytes) return decodeContractResult(abi, data, small)
    // downloads take priority over requests without an order
    return decodeResult(abi, data, { signal: abortSignal(signal), priority: budget === 'paid' })
  }

  return {
    type: 'smartcontract',
    schema: contractFile,
    check: (file, userdata) => void contractCall(file.abi, userdata ?? {}),
    outline: ({ abi }) => (abi.inputs.length > 0 ? { valid: true, contentType: 'application/json' } : undefined),
    async describe(file, context) {
      try {
        const { length } = await call(file, context)
        return { valid: true, contentLength: length, contentType: 'application/json' }
      } catch (error) {
        if (context.signal.aborted) return { valid: false, reason: 'timeout' }
        if (error instanceof ChainError) return { valid: false, reason: 'unreachable' }
        if (error instanceof ValidationError) return { valid: false, reason: 'failed' }
        return describeFailure(error)
      }
    },
    async open(file, context) {
      const bytes = await call(file, context)
      const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
      return { status: 200, headers, body: Readable.from(context.method === 'HEAD' ? [] : [bytes]) }
    },
  }
}

function noAnswer(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The contract did not answer the call.')
}
