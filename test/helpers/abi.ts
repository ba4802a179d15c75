import fc from 'fast-check'
import type { AbiFunction, AbiParameter } from 'viem'

/** A view function with these outputs and inputs, as a storage object contains it. */
export function viewFunction(outputs: readonly object[], inputs: readonly object[] = [], name = 'f'): AbiFunction {
  return { type: 'function', name, stateMutability: 'view', inputs, outputs } as AbiFunction
}

/** A view function with one output. */
export function output(type: string, more: object = {}): AbiFunction {
  return viewFunction([{ name: '', type, ...more }])
}

/** An unnamed unsigned integer, as a parameter or an output. */
export const UINT = { name: '', type: 'uint256' }

/** Nested tuples. */
export function nested(depth: number): object {
  let inner: object = UINT
  for (let at = 0; at < depth; at++) inner = { name: '', type: 'tuple', components: [inner] }
  return inner
}

const PILE = Array.from({ length: 100_000 }, () => UINT)

function wide(levels: number): object[] {
  if (levels === 0) return [UINT]
  return Array.from({ length: 20 }, () => ({ name: '', type: 'tuple', components: wide(levels - 1) }))
}

const LONG = 'x'.repeat(1_000_000)

/** ABIs that expand to far more than their own length, or are far too long. */
export const ABI_BOMBS: [name: string, abi: unknown][] = [
  ['tuple[4294967295] of nothing', output('tuple[4294967295]', { components: [] })],
  ['uint256[4294967295]', output('uint256[4294967295]')],
  ['uint256[0][]', output('uint256[0][]')],
  ['uint256[][0]', output('uint256[][0]')],
  ['uint256[1024][1024][1024][1024]', output('uint256[1024][1024][1024][1024]')],
  ['uint256[1][1][1][1][1]', output('uint256[1][1][1][1][1]')],
  ['1024 times bytes[1024] in a tuple', output('tuple[1024]', { components: [{ name: '', type: 'bytes[1024]' }] })],
  ['many outputs of many values', viewFunction(Array.from({ length: 8 }, () => ({ type: 'uint256[1000]' })))],
  ['components 1,000 deep', viewFunction([nested(1000)])],
  ['tuples within tuples, 20 each, 4 deep', viewFunction(wide(4))],
  ['100,000 inputs', viewFunction([], PILE)],
  ['100,000 outputs', viewFunction(PILE)],
  ['100,000 components', output('tuple', { components: PILE })],
  ['a function name of 1 MB', viewFunction([], [], LONG)],
  ['the name of an input of 1 MB', viewFunction([], [{ ...UINT, name: LONG }])],
  ['the name of a component of 1 MB', output('tuple', { components: [{ ...UINT, name: LONG }] })],
]

const INTEGERS = Array.from({ length: 32 }, (_, at) => 8 * (at + 1)).flatMap((bits) => [`int${bits}`, `uint${bits}`])
const FIXED_BYTES = Array.from({ length: 32 }, (_, at) => `bytes${at + 1}`)
const ELEMENTARY = ['address', 'bool', 'string', 'bytes', ...INTEGERS, ...FIXED_BYTES]

/** A parameter of any type of the contract ABI, small enough to generate values of it. */
export function parameter(depth = 2): fc.Arbitrary<AbiParameter> {
  const name = fc.option(fc.constantFrom('a', 'b', 'tide', '$_1', 'ü '), { nil: undefined })
  const suffix = fc.array(fc.constantFrom('[]', '[1]', '[3]'), { maxLength: 2 }).map((parts) => parts.join(''))
  const elementary = fc.constantFrom(...ELEMENTARY).map((base) => ({ base }))
  const tuple = () =>
    fc.array(parameter(depth - 1), { minLength: 1, maxLength: 3 }).map((components) => ({ base: 'tuple', components }))
  return fc
    .tuple(name, suffix, depth === 0 ? elementary : fc.oneof({ weight: 3, arbitrary: elementary }, tuple()))
    .map(([named, brackets, { base, ...rest }]) => ({
      ...(named === undefined ? {} : { name: named }),
      type: base + brackets,
      ...rest,
    }))
}

/** Any value of a type, in the form that the chain library accepts; tuples as lists. */
export function anyValue({ type, ...rest }: AbiParameter): fc.Arbitrary<unknown> {
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    const size = array[2] ? { minLength: Number(array[2]), maxLength: Number(array[2]) } : { maxLength: 3 }
    return fc.array(anyValue({ ...rest, type: array[1] as string } as AbiParameter), size)
  }
  if (type === 'tuple') return fc.tuple(...(rest as { components: AbiParameter[] }).components.map(anyValue))
  if (type === 'bool') return fc.boolean()
  if (type === 'string') return fc.string({ maxLength: 40 })
  if (type === 'address') return hex(20, 20)
  if (type === 'bytes') return hex(0, 70)
  const size = Number(type.replace(/\D/g, ''))
  if (type.startsWith('bytes')) return hex(size, size)
  const [min, max] = type.startsWith('u')
    ? [0n, 2n ** BigInt(size)]
    : [-(2n ** BigInt(size - 1)), 2n ** BigInt(size - 1)]
  return fc.bigInt({ min, max: max - 1n })
}

function hex(min: number, max: number): fc.Arbitrary<string> {
  return fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
}
