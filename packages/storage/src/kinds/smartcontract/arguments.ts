import { COMMON_LIMITS } from '@tidegate/common'
import { isAddressText, ValidationError } from '@tidegate/protocol'
import { type AbiFunction, type AbiParameter, encodeFunctionData, getAddress, type Hex } from 'viem'
import type { UserData } from '../../storage.js'

/**
 * Encodes a function call with arguments from userdata, by input name. Zero, false and '' are values. `abi` must come from
 * readFunctionAbi. Throws ValidationError, which names the argument but no value.
 */
export function contractCall(abi: AbiFunction, userdata: UserData): Hex {
  const reader = new ArgumentReader()
  const args = abi.inputs.map((input, index) => {
    const name = input.name || String(index)
    if (!Object.hasOwn(userdata, name)) throw badArgument(`must hold ${name}, an argument of the contract call`)
    return reader.read(userdata[name], input, name)
  })
  try {
    return encodeFunctionData({ abi: [abi], functionName: abi.name, args })
  } catch {
    throw badArgument('must hold values of the types that the contract call takes')
  }
}

/** Maximum bytes of a value in the call data without its text: a word, and an offset or a length. */
const WORDS = 64

class ArgumentReader {
  /** Remaining bytes of call data. Values are counted before viem encodes them. */
  private remaining: number = COMMON_LIMITS.contract.call

  read(value: unknown, { type }: AbiParameter, name: string): unknown {
    const list = /^(.*)\[(\d*)\]$/.exec(type)
    if (!list) return this.one(value, type, name)
    const [, inner, length] = list as unknown as [string, string, string]
    if (!Array.isArray(value) || (length && value.length !== Number(length)))
      throw badArgument(`must hold a list of type ${type} in ${name}`)
    this.spend(32 * value.length)
    return value.map((item) => this.read(item, { type: inner }, name))
  }

  private one(value: unknown, type: string, name: string): unknown {
    if (/^u?int/.test(type)) return wholeNumber(value, type, name)
    if (type === 'bool') {
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw badArgument(`must hold true or false in ${name}`)
    }
    if (type === 'address') {
      if (isAddressText(value)) return getAddress(value)
      throw badArgument(`must hold an address in ${name}`)
    }
    if (typeof value === 'string' && /^bytes|^string$/.test(type)) {
      this.spend(WORDS + Buffer.byteLength(value))
      if (type === 'string' || isBytes(value, type)) return value
    }
    throw badArgument(`must hold a value of type ${type} in ${name}`)
  }

  private spend(bytes: number): void {
    this.remaining -= bytes
    if (this.remaining < 0)
      throw badArgument(`must not make a contract call of more than ${COMMON_LIMITS.contract.call} bytes`)
  }
}

function wholeNumber(value: unknown, type: string, name: string): bigint {
  const digits = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : ''
  if (!/^-?\d{1,78}$/.test(digits)) throw badArgument(`must hold a whole number in ${name}`)
  const number = BigInt(digits)
  const bits = Number(type.replace(/\D/g, ''))
  const fits = type.startsWith('u') ? BigInt.asUintN(bits, number) : BigInt.asIntN(bits, number)
  if (fits !== number) throw badArgument(`must hold a value of type ${type} in ${name}`)
  return number
}

function isBytes(text: string, type: string): boolean {
  const size = Number(type.slice('bytes'.length))
  return /^0x(?:[0-9a-fA-F]{2})*$/.test(text) && (size === 0 || text.length === 2 + 2 * size)
}

function badArgument(why: string): ValidationError {
  return ValidationError.of('userdata', `The userdata field ${why}.`)
}
