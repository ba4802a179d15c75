import { Readable } from 'node:stream'
import { type AbiFunction, type Address, getAddress, type Hex } from 'viem'
import { z } from 'zod'
import { unlessAborted } from '../abort.js'
import { BOUNDS } from '../bounds.js'
import { isAddressText } from '../crypto/address.js'
import { ChainError, SandboxError, StorageError, ValidationError } from '../errors.js'
import type { RunOptions } from '../sandbox/sandbox.js'
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
 * the chain is not served. Throws ChainError where no node answers. The signal ends the request to the node.
 */
export type ReadContract = (
  chainId: number,
  to: Address,
  data: Hex,
  limit: number,
  signal: AbortSignal,
) => Promise<Hex | undefined>

/** Decodes a large answer in a thread, within the bounds of contracts. Rejects as contractAnswer throws, or with SandboxError. */
export type ReadAnswer = (abi: AbiFunction, data: Hex, options: RunOptions) => Promise<string>

/** What a function of a contract answers, as JSON. */
export function contractStorage({ readContract, readAnswer }: StorageTools): Storage<ContractFile> {
  async function answer(file: ContractFile, asking: Asking): Promise<Buffer> {
    const call = contractCall(file.abi, asking.userdata ?? {})
    const { signal } = asking
    const asked = readContract(file.chainId, getAddress(file.address), call, BOUNDS.contract.answer, signal)
    const data = await unlessAborted(asked, signal)
    if (data === undefined) throw noAnswer()
    try {
      return Buffer.from(await decoded(file.abi, data, asking))
    } catch (error) {
      throw error instanceof SandboxError ? error : noAnswer()
    }
  }

  async function decoded(abi: AbiFunction, data: Hex, { signal, budget }: Asking): Promise<string> {
    const { small } = BOUNDS.contract
    if (data.length <= 2 + 2 * small.bytes) return contractAnswer(abi, data, small)
    // what was paid for does not wait for what anybody may ask
    return readAnswer(abi, data, { signal, first: budget === 'paid' })
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
