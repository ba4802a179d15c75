import type { AbiFunction, AbiParameter } from 'viem'
import { STORAGE_LIMITS } from '../../limits.js'

/** An ABI is invalid. The message is a predicate for the field name and contains no value. */
export class AbiError extends Error {}

/** Canonical names of elementary types by alias. */
const ELEMENTARY = new Map([
  ...['address', 'bool', 'string', 'bytes'].map((name) => [name, name] as const),
  ...count(32).map((size) => [`bytes${size}`, `bytes${size}`] as const),
  ...['int', 'uint'].flatMap((name) => [
    [name, `${name}256`] as const,
    ...count(32).map((size) => [`${name}${8 * size}`, `${name}${8 * size}`] as const),
  ]),
])

const TYPE = /^([a-z]+\d{0,3})((?:\[\d*\])*)$/
const NAME = /^[A-Za-z_$][\w$]*$/

/**
 * Parses the untrusted ABI of one view or pure function. Counts lists before it iterates over them, and values of types before
 * they are used, so that STORAGE_LIMITS.abi limits the work. Returns only the relevant fields. Throws AbiError.
 */
export function readFunctionAbi(value: unknown): AbiFunction {
  const abi = record(value)
  const { type = 'function', name, inputs, outputs } = abi
  if (type !== 'function') throw new AbiError('must be the ABI of one function')
  const stateMutability = mutabilityOf(abi)
  if (stateMutability !== 'view' && stateMutability !== 'pure') throw new AbiError('must be a view or pure function')
  if (typeof name !== 'string' || name.length > STORAGE_LIMITS.abi.name || !NAME.test(name))
    throw new AbiError(`must name the function by an identifier of at most ${STORAGE_LIMITS.abi.name} characters`)
  const reader = new ParameterReader()
  return {
    type,
    name,
    stateMutability,
    inputs: reader.list(inputs, 'inputs'),
    outputs: reader.list(outputs, 'outputs'),
  }
}

/**
 * Returns the state mutability. Old compilers set `constant` instead, others neither: then a function counts as view if it has
 * outputs and is not payable.
 */
function mutabilityOf({ stateMutability, constant, payable, outputs }: Record<string, unknown>): unknown {
  if (stateMutability !== undefined) return stateMutability
  const reads = constant ?? (payable !== true && Array.isArray(outputs) && outputs.length > 0)
  return reads === true ? 'view' : undefined
}

/** A parameter, and its number of values with one element per dynamic array. */
interface Sized {
  parameter: AbiParameter
  values: number
}

class ParameterReader {
  private remaining: number = STORAGE_LIMITS.abi.parameters

  list(value: unknown, what: string): AbiParameter[] {
    const read = this.sized(value, what, 0)
    if (read.values > STORAGE_LIMITS.abi.values) throw tooManyValues()
    return read.parameters
  }

  private sized(value: unknown, what: string, depth: number): { parameters: AbiParameter[]; values: number } {
    if (!Array.isArray(value)) throw new AbiError(`must hold a list of ${what}`)
    if (value.length > this.remaining)
      throw new AbiError(`must not hold more than ${STORAGE_LIMITS.abi.parameters} inputs, outputs and components`)
    this.remaining -= value.length
    const read = value.map((item) => this.one(item, depth))
    return {
      parameters: read.map(({ parameter }) => parameter),
      values: read.reduce((sum, { values }) => sum + values, 0),
    }
  }

  private one(value: unknown, depth: number): Sized {
    const { type, name, components } = record(value)
    if (name !== undefined && (typeof name !== 'string' || name.length > STORAGE_LIMITS.abi.name))
      throw new AbiError(`must hold names of at most ${STORAGE_LIMITS.abi.name} characters`)
    const [base, suffix, times] = splitType(type)
    const named = name === undefined ? {} : { name }
    if (base !== 'tuple') {
      const elementary = ELEMENTARY.get(base)
      if (!elementary) throw unknownType()
      return bounded({ parameter: { ...named, type: elementary + suffix }, values: times })
    }
    if (depth === STORAGE_LIMITS.abi.depth)
      throw new AbiError(`must not nest tuples deeper than ${STORAGE_LIMITS.abi.depth}`)
    const inner = this.sized(components, 'components for every tuple', depth + 1)
    if (inner.parameters.length === 0) throw new AbiError('must not hold a tuple without components')
    const parameter = { ...named, type: base + suffix, components: inner.parameters }
    return bounded({ parameter, values: times * inner.values })
  }
}

/** Splits a type into base type, array suffix, and the product of the fixed lengths. */
function splitType(type: unknown): [base: string, suffix: string, times: number] {
  const match = typeof type === 'string' && type.length <= STORAGE_LIMITS.abi.type ? TYPE.exec(type) : null
  if (!match) throw unknownType()
  const [, base, suffix] = match as unknown as [string, string, string]
  const dimensions = suffix === '' ? [] : suffix.slice(1, -1).split('][')
  if (dimensions.length > STORAGE_LIMITS.abi.dimensions)
    throw new AbiError(`must not hold an array of more than ${STORAGE_LIMITS.abi.dimensions} dimensions`)
  let times = 1
  for (const length of dimensions) {
    if (length === '') continue
    if (length.startsWith('0') || Number(length) > STORAGE_LIMITS.abi.length)
      throw new AbiError(`must not hold an array of a fixed length other than 1 to ${STORAGE_LIMITS.abi.length}`)
    times *= Number(length)
  }
  return [base, suffix, times]
}

function bounded(sized: Sized): Sized {
  if (sized.values > STORAGE_LIMITS.abi.values) throw tooManyValues()
  return sized
}

function tooManyValues(): AbiError {
  return new AbiError(`must not hold types that stand for more than ${STORAGE_LIMITS.abi.values} values`)
}

function unknownType(): AbiError {
  return new AbiError('must hold no other types than those of the contract ABI')
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function count(to: number): number[] {
  return Array.from({ length: to }, (_, at) => at + 1)
}
