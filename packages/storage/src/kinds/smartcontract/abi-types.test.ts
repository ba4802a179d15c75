import fc from 'fast-check'
import { type AbiParameter, encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { ABI_BOMBS, anyValue, nested, output, parameter, UINT, viewFunction } from '../../../../../test/helpers/abi.js'
import { measured } from '../../../../../test/helpers/measured.js'
import { STORAGE_LIMITS } from '../../limits.js'
import { AbiError, readFunctionAbi } from './abi-types.js'

/** Returns the error message for an ABI; undefined if it is valid. */
function problemOf(abi: unknown): string | undefined {
  try {
    readFunctionAbi(abi)
    return undefined
  } catch (error) {
    if (error instanceof AbiError) return error.message
    throw error
  }
}

describe('the ABI of a contract file', () => {
  it('is accepted as compilers write it, and parsed without irrelevant fields', () => {
    const pair = { name: 'pair', type: 'tuple[][2]', internalType: 'struct Pair[][2]' }
    const components = [
      { name: 'at', type: 'uint64', internalType: 'uint64' },
      { name: 'height', type: 'int128', indexed: false },
    ]
    const abi = {
      ...viewFunction([{ ...pair, components }], [{ name: '$station_1', type: 'address', internalType: 'contract S' }]),
      payable: false,
      constant: true,
      gas: 1e9,
    }
    expect(readFunctionAbi(abi)).toEqual({
      type: 'function',
      name: 'f',
      stateMutability: 'view',
      inputs: [{ name: '$station_1', type: 'address' }],
      outputs: [
        {
          name: 'pair',
          type: 'tuple[][2]',
          components: [
            { name: 'at', type: 'uint64' },
            { name: 'height', type: 'int128' },
          ],
        },
      ],
    })
  })

  it.each<[string, object]>([
    ['control: a view function', { type: 'function', stateMutability: 'view' }],
    ['`constant`', { type: 'function', constant: true, payable: false }],
    ['`constant` alone, and no type', { constant: true }],
    ['neither', { type: 'function' }],
    ['neither, and not payable', { type: 'function', payable: false }],
    ['no type', {}],
  ])('is accepted as a view function: %s', (_case, stated) => {
    const abi = { ...stated, name: 'f', inputs: [], outputs: [UINT] }
    expect(readFunctionAbi(abi)).toMatchObject({ type: 'function', stateMutability: 'view', name: 'f' })
  })

  it.each<[string, object]>([
    ['`constant` is false', { constant: false }],
    ['`constant` is no boolean', { constant: 'true' }],
    ['it takes money', { payable: true }],
    ['it returns nothing', { outputs: [] }],
    ['a newer statement contradicts', { constant: true, stateMutability: 'nonpayable' }],
    ['the newer statement is unknown', { constant: true, stateMutability: 'reads' }],
    ['it is a constructor', { type: 'constructor', constant: true }],
  ])('is refused if %s', (_case, stated) => {
    expect(problemOf({ type: 'function', name: 'f', inputs: [], outputs: [UINT], ...stated })).toMatch(/^must be/)
  })

  it('gets canonical names for int and uint', () => {
    expect(readFunctionAbi(viewFunction([], [{ name: 'x', type: 'uint[2]' }])).inputs).toEqual([
      { name: 'x', type: 'uint256[2]' },
    ])
  })

  it.each([
    'tuple',
    'uint0',
    'uint7',
    'uint08',
    'uint264',
    'bytes0',
    'bytes33',
    'byte',
    'fixed128x18',
    'function',
    'address payable',
    'mapping(address => uint256)',
    'uint256[',
    'uint256]',
    'uint256[][',
    'uint256[-1]',
    'uint256[ 1]',
    'uint256[1e3]',
    'uint256[0x1]',
    'Uint256',
    ' uint256',
    'uint256\n',
    '',
    `uint256${'[1]'.repeat(100_000)}`,
    'x'.repeat(1_000_000),
  ])('is rejected with type %.40s (threat 36)', (type) => {
    expect(problemOf(output(type))).toMatch(/^must /)
  })

  it.each([
    ['no object', 'function'],
    ['a list', [viewFunction([UINT])]],
    ['another kind', { ...viewFunction([]), type: 'event' }],
    ['a function that writes', { ...viewFunction([]), stateMutability: 'nonpayable' }],
    ['no outputs', { ...viewFunction([]), outputs: undefined }],
    ['outputs that are an object', { ...viewFunction([]), outputs: { length: 4e9 } }],
    ['an output that is no object', viewFunction([null as unknown as object])],
    ['a type that is no text', viewFunction([{ type: ['uint256'] }])],
    ['a name that is no text', viewFunction([{ ...UINT, name: 1 }])],
    ['a function name with a parenthesis', viewFunction([], [], 'f(uint256)')],
    ['no function name', viewFunction([], [], '')],
    ['a tuple without components', output('tuple')],
    ['a tuple of no components', output('tuple', { components: [] })],
    ['components that are no list', output('tuple', { components: { 0: UINT } })],
  ])('is rejected with %s (threat 36)', (_name, abi) => {
    expect(problemOf(abi)).toMatch(/^must /)
  })

  it.each([
    ...ABI_BOMBS,
    ['components 10,000 deep', viewFunction([nested(10_000)])] as const,
  ])('is rejected at once with %s (threat 36)', async (_name, abi) => {
    const { result, took, grown } = await measured(() => problemOf(abi))
    expect(result).toMatch(/^must (not hold|not nest|hold|name)/)
    expect(result?.length).toBeLessThan(120)
    expect(took).toBeLessThan(200)
    // V8's young generation takes 16 MiB in any case; a decoded bomb takes hundreds
    expect(grown).toBeLessThan(64)
  })

  it('is accepted exactly up to the limits (threat 36)', () => {
    const { parameters, depth, name, dimensions, length, values } = STORAGE_LIMITS.abi
    const inputs = (count: number) => Array.from({ length: count }, () => UINT)
    const at: [good: object, bad: object][] = [
      [viewFunction([], inputs(parameters)), viewFunction([UINT], inputs(parameters))],
      [viewFunction([nested(depth)]), viewFunction([nested(depth + 1)])],
      [viewFunction([], [], 'x'.repeat(name)), viewFunction([], [], 'x'.repeat(name + 1))],
      [output(`bool${'[]'.repeat(dimensions)}`), output(`bool${'[]'.repeat(dimensions + 1)}`)],
      [output(`bool[${length}]`), output(`bool[${length + 1}]`)],
      [output(`bool[${length}][${values / length}][]`), output(`bool[${length}][${values / length + 1}][]`)],
    ]
    for (const [good, bad] of at) {
      expect(problemOf(good)).toBeUndefined()
      expect(problemOf(bad)).toMatch(/^must (not hold|not nest|name)/)
    }
  })

  it('has only types that viem can encode and decode (threat 36)', () => {
    const withArguments = fc
      .array(parameter(), { maxLength: 4 })
      .chain((inputs) => fc.tuple(fc.constant(inputs), fc.tuple(...inputs.map(anyValue))))
    fc.assert(
      fc.property(withArguments, ([inputs, args]) => {
        const abi = readFunctionAbi(viewFunction([], inputs))
        expect(abi.inputs).toEqual(inputs)
        expect(readFunctionAbi(abi)).toEqual(abi)
        expect(encodeFunctionData({ abi: [abi], functionName: 'f', args })).toMatch(/^0x/)
      }),
      { numRuns: 300 },
    )
  })

  it('is rejected with an AbiError for any other input (threat 36)', () => {
    const types = fc.oneof(
      fc.stringMatching(/^(u?int|bytes|tuple|string|bool)\d{0,4}(\[\d{0,4}\]){0,6}$/),
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', 'tuple', 'tuple[]'),
      fc.jsonValue(),
    )
    const entry = fc.letrec<{ entry: unknown }>((tie) => ({
      entry: fc.record(
        {
          type: types,
          name: fc.oneof(fc.string(), fc.jsonValue()),
          components: fc.array(tie('entry'), { maxLength: 4 }),
        },
        { requiredKeys: [] },
      ),
    })).entry
    const abi = fc.record(
      {
        type: fc.constant('function'),
        name: fc.oneof(fc.constant('f'), fc.string()),
        stateMutability: fc.constant('view'),
        inputs: fc.oneof(fc.array(entry, { maxLength: 5 }), fc.jsonValue()),
        outputs: fc.array(entry, { maxLength: 5 }),
      },
      { requiredKeys: ['type', 'stateMutability'] },
    )
    fc.assert(
      fc.property(fc.oneof(abi, fc.jsonValue()), (value) => {
        const problem = problemOf(value)
        if (problem === undefined) expect((value as { inputs: AbiParameter[] }).inputs.length).toBeLessThan(6)
        else expect(problem).toMatch(/^must /)
      }),
      { numRuns: 2000 },
    )
  })
})
