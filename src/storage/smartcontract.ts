import { Readable } from 'node:stream'
import { type Abi, type AbiFunction, type AbiParameter, getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { StorageError, ValidationError } from '../errors.js'
import type { Storage, StorageTools, UserData } from './storage.js'

const parameter: z.ZodType<AbiParameter> = z.looseObject({
  name: z.string().optional(),
  type: z.string(),
}) as unknown as z.ZodType<AbiParameter>

const contractFile = z.object({
  type: z.literal('smartcontract'),
  chainId: z.number().int().positive(),
  address: z.string().refine((text) => isAddress(text, { strict: false }), 'must be an address'),
  abi: z.looseObject({
    type: z.literal('function', 'must be the ABI of one function'),
    name: z.string().min(1),
    inputs: z.array(parameter),
    outputs: z.array(parameter),
    stateMutability: z.enum(['view', 'pure'], 'must be a view or pure function'),
  }),
})

export type ContractFile = z.infer<typeof contractFile>

/** Reads a contract: chain id, address, ABI of the one function, arguments. Throws what the chain client throws. */
export type ReadContract = (chainId: number, address: `0x${string}`, abi: Abi, args: unknown[]) => Promise<unknown>

/** What a function of a contract answers, as JSON: big integers as text, named outputs as an object. */
export function contractStorage({ readContract }: StorageTools): Storage<ContractFile> {
  async function answer(file: ContractFile, userdata: UserData | undefined): Promise<Buffer> {
    const args = argumentsOf(file.abi.inputs, userdata ?? {})
    const abi = file.abi as unknown as AbiFunction
    let result: unknown
    try {
      result = await readContract(file.chainId, getAddress(file.address), [abi], args)
    } catch {
      throw new StorageError('STORAGE_REFUSED', 'The contract did not answer the call.')
    }
    return Buffer.from(
      JSON.stringify(named(result, abi), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    )
  }

  return {
    type: 'smartcontract',
    schema: contractFile as unknown as z.ZodType<ContractFile>,
    check: (file, userdata) => void argumentsOf(file.abi.inputs, userdata ?? {}),
    outline: ({ abi }) => (abi.inputs.length > 0 ? { valid: true, contentType: 'application/json' } : undefined),
    async describe(file, { userdata }) {
      try {
        const { length } = await answer(file, userdata)
        return { valid: true, contentLength: length, contentType: 'application/json' }
      } catch (error) {
        if (error instanceof StorageError || error instanceof ValidationError) return { valid: false }
        throw error
      }
    },
    async open(file, { method, userdata }) {
      const bytes = await answer(file, userdata)
      const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
      return { status: 200, headers, body: Readable.from(method === 'HEAD' ? [] : [bytes]) }
    },
  }
}

/** The arguments from userdata, by input name. Zero, false and the empty text are values. Throws ValidationError. */
function argumentsOf(inputs: AbiParameter[], userdata: UserData): unknown[] {
  return inputs.map((input, index) => {
    const name = input.name || String(index)
    if (!Object.hasOwn(userdata, name)) throw badArgument(`must hold ${name}, an argument of the contract call`)
    return typed(userdata[name], input.type, name)
  })
}

function typed(value: unknown, type: string, name: string): unknown {
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    if (!Array.isArray(value) || (list[2] && value.length !== Number(list[2])))
      throw badArgument(`must hold a list of type ${type} in ${name}`)
    return value.map((item) => typed(item, list[1] as string, name))
  }
  if (/^u?int\d*$/.test(type)) {
    if (/^-?\d{1,78}$/.test(String(value)) && (typeof value === 'string' || Number.isSafeInteger(value)))
      return BigInt(value as string | number)
    throw badArgument(`must hold a whole number in ${name}`)
  }
  if (type === 'bool') {
    if (value === true || value === 'true') return true
    if (value === false || value === 'false') return false
    throw badArgument(`must hold true or false in ${name}`)
  }
  if (type === 'address') {
    if (typeof value === 'string' && isAddress(value, { strict: false })) return getAddress(value)
    throw badArgument(`must hold an address in ${name}`)
  }
  if (type.startsWith('bytes')) {
    if (typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value)) return value
    throw badArgument(`must hold hex in ${name}`)
  }
  if (type === 'string' && typeof value === 'string') return value
  throw badArgument(`must hold a value of type ${type} in ${name}`)
}

/** Nothing as null, one output alone as its value; several as an object by name, or as a list where a name is missing. */
function named(result: unknown, { outputs }: AbiFunction): unknown {
  if (outputs.length === 0) return null
  if (outputs.length <= 1 || !Array.isArray(result) || outputs.some((output) => !output.name)) return result
  return Object.fromEntries(outputs.map((output, index) => [output.name, result[index]]))
}

function badArgument(why: string): ValidationError {
  return ValidationError.of('userdata', `The userdata field ${why}.`)
}
