import { Readable } from 'node:stream'
import { type AbiFunction, type Address, getAddress, type Hex } from 'viem'
import { z } from 'zod'
import { unlessAborted } from '../abort.js'
import { BOUNDS } from '../bounds.js'
import { isAddressText } from '../crypto/address.js'
import { ChainError, StorageError, ValidationError } from '../errors.js'
import { AbiProblem, readFunctionAbi } from './abi-types.js'
import { contractAnswer } from './contract-answer.js'
import { contractCall } from './contract-arguments.js'
import { isAnswer } from './http-storage.js'
import type { Asking, Storage, StorageTools } from './storage.js'

const functionAbi = z.unknown().transform((value, context): AbiFunction => {
  try {
    return readFunctionAbi(value)
  } catch (error) {
    if (!(error instanceof AbiProblem)) throw error
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

/**
 * Asks a contract of a chain, with call data, for at most `limit` bytes. Undefined where the contract has no answer, or
 * the chain is not served. Throws ChainError where no node answers.
 */
export type ReadContract = (chainId: number, to: Address, data: Hex, limit: number) => Promise<Hex | undefined>

/** What a function of a contract answers, as JSON. */
export function contractStorage({ readContract }: StorageTools): Storage<ContractFile> {
  async function answer(file: ContractFile, { userdata, signal }: Asking): Promise<Buffer> {
    const call = contractCall(file.abi, userdata ?? {})
    const asked = readContract(file.chainId, getAddress(file.address), call, BOUNDS.contract.answer)
    const data = await unlessAborted(asked, signal)
    if (data === undefined) throw noAnswer()
    try {
      return Buffer.from(contractAnswer(file.abi, data, BOUNDS.contract))
    } catch {
      throw noAnswer()
    }
  }

  return {
    type: 'smartcontract',
    schema: contractFile as unknown as z.ZodType<ContractFile>,
    check: (file, userdata) => void contractCall(file.abi, userdata ?? {}),
    outline: ({ abi }) => (abi.inputs.length > 0 ? { valid: true, contentType: 'application/json' } : undefined),
    async describe(file, asking) {
      try {
        const { length } = await answer(file, asking)
        return { valid: true, contentLength: length, contentType: 'application/json' }
      } catch (error) {
        const unanswered = error instanceof ChainError || error instanceof ValidationError || isAnswer(error)
        if (unanswered || asking.signal.aborted) return { valid: false }
        throw error
      }
    },
    async open(file, asking) {
      const bytes = await answer(file, asking)
      const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
      return { status: 200, headers, body: Readable.from(asking.method === 'HEAD' ? [] : [bytes]) }
    },
  }
}

function noAnswer(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The contract did not answer the call.')
}
