import fc from 'fast-check'
import { type AbiFunction, concat, decodeFunctionResult, encodeAbiParameters, type Hex, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { anyValue, parameter, viewFunction } from '../../../../../test/helpers/abi.js'
import { measured } from '../../../../../test/helpers/measured.js'
import { COMMON_LIMITS } from '../../../../common/src/limits.js'
import { readFunctionAbi } from './abi-types.js'
import { decodeContractResult } from './decode-result.js'

const LIMITS = COMMON_LIMITS.contract
const BUDGET = LIMITS.result
/** A budget with the maximum number of steps, and `result` bytes. */
const only = (result: number) => ({ result, steps: LIMITS.steps })
const word = (value: number | bigint) => numberToHex(value, { size: 32 })
const sizeOf = (data: Hex) => (data.length - 2) / 2

/** A list whose elements all point to the same offset, so that it decodes to far more than its length. */
function samePlace(count: number, element: Hex): Hex {
  return concat([word(32), word(count), ...Array.from({ length: count }, () => word(count * 32)), element])
}

/** Such a list with overlapping offsets, each a word further, so that no offset is used twice. */
function overlapping(count: number): Hex {
  const length = 32 * count
  const pointers = Array.from({ length: count }, (_, at) => word(count * 32 + 32 * at))
  return concat([word(32), word(count), ...pointers, ...Array.from({ length: 2 * count + 1 }, () => word(length))])
}

const list = (type: string, more: object = {}) => readFunctionAbi(viewFunction([{ name: '', type, ...more }]))
const text = (length: number): Hex => concat([word(length), `0x${'61'.repeat(length)}`])

/** A type that a decoder must walk completely to see whether a list of it is dynamic. */
const heavy = list('tuple[][]', {
  components: [...Array.from({ length: 249 }, () => ({ name: '', type: 'uint256[1][1][1]' })), { type: 'string' }],
})

/** Nested lists: each level refers `count` times to the same list of the next level. */
function pyramid(levels: number, count: number): Hex {
  let inner: Hex = concat([word(1), word(7)])
  for (let at = 1; at < levels; at++)
    inner = concat([word(count), ...Array.from({ length: count }, () => word(count * 32)), inner])
  return concat([word(32), inner])
}

describe('the answer of a contract', () => {
  it('becomes JSON: big integers as text, named outputs as an object, a single output as its value, none as null', () => {
    const named = viewFunction([
      { name: 'height', type: 'int256' },
      { name: 'open', type: 'bool' },
    ])
    const data = encodeAbiParameters(named.outputs, [-5n, false])
    expect(decodeContractResult(named, data, LIMITS)).toBe('{"height":"-5","open":false}')
    const bare = viewFunction([{ type: 'int256' }, { type: 'bool' }])
    expect(decodeContractResult(bare, data, LIMITS)).toBe('["-5",false]')
    expect(decodeContractResult(viewFunction([]), '0x', LIMITS)).toBe('null')
    expect(decodeContractResult(viewFunction([{ type: 'uint8' }]), word(0), LIMITS)).toBe('0')
    for (const bad of ['0x', '0x00', word(2)] as const)
      expect(() => decodeContractResult(viewFunction([{ type: 'bool' }]), bad, LIMITS)).toThrow()
  })

  it('is decoded like in viem, for every accepted type, within its length (threat 36)', () => {
    fc.assert(
      fc.property(answers(), ({ abi, data }) => {
        const decoded = decodeFunctionResult({ abi: [abi], data }) as unknown[]
        const byName = abi.outputs.length > 1 && abi.outputs.every(({ name }) => name)
        const shown = byName ? Object.fromEntries(abi.outputs.map(({ name }, at) => [name, decoded[at]])) : decoded
        const json = JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
        expect(decodeContractResult(abi, data, only(sizeOf(data)))).toBe(json)
      }),
      { numRuns: 300 },
    )
  })

  it('is rejected only if viem rejects it, it exceeds the budget or it ends within a word (threat 36)', () => {
    const spoiled = answers().chain(({ abi, data }) =>
      fc
        .array(
          fc.tuple(
            fc.nat(sizeOf(data) / 32 - 1),
            fc.oneof(
              fc.nat(12).map((n) => n * 32),
              fc.nat(500),
            ),
          ),
          { maxLength: 6 },
        )
        .map((changes) => {
          const words = data.slice(2).match(/.{1,64}/g) ?? []
          for (const [at, value] of changes) words[at] = word(value).slice(2)
          return { abi, data: `0x${words.join('')}` as Hex }
        }),
    )
    fc.assert(
      fc.property(spoiled, ({ abi, data }) => {
        const decoded = (bytes: Hex) => attempt(() => decodeContractResult(abi, bytes, only(1e6)))
        const library = attempt(() => decodeFunctionResult({ abi: [abi], data }))
        if (library === undefined) expect(decoded(data)).toBeUndefined()
        // of the last word viem needs as many bytes as the type has, here it must be complete
        else expect(decoded(concat([data, `0x${'00'.repeat(31)}`]))).toBeDefined()
        const within = attempt(() => decodeContractResult(abi, data, only(2048)))
        if (within !== undefined) expect(within.length).toBeLessThan(2048 * 8)
      }),
      { numRuns: 1000 },
    )
  })

  const bombs: [name: string, abi: AbiFunction, data: Hex][] = [
    ['bytes[] of 4,000 pointers to one text of 128 KB', list('bytes[]'), samePlace(4000, text(130_000))],
    ['string[] of 4,000 pointers to one text of 128 KB', list('string[]'), samePlace(4000, text(130_000))],
    ['bytes[] of 2,700 texts that overlap', list('bytes[]'), overlapping(2700)],
    ['string[] of 2,700 texts that overlap', list('string[]'), overlapping(2700)],
    [
      'uint256[][] of 4,000 pointers to one list',
      list('uint256[][]'),
      samePlace(4000, concat([word(4000), ...Array<Hex>(4000).fill(word(1))])),
    ],
    ['lists of lists of lists of lists, 1,000 times 1,000 times 1,000', list('uint256[][][][]'), pyramid(4, 1000)],
    [
      'structs with texts at one place',
      list('tuple[]', {
        components: [
          { name: 'a', type: 'bytes' },
          { name: 'b', type: 'string' },
        ],
      }),
      samePlace(3000, concat([word(64), word(64), text(150_000)])),
    ],
    [
      'bytes[1024][] at one place',
      list('bytes[1024][]'),
      samePlace(4000, concat([...Array<Hex>(1024).fill(word(32_768)), text(90_000)])),
    ],
    ['a list of 2^32 elements', list('uint256[]'), concat([word(32), word(2 ** 32 - 1), word(1)])],
    ['a list of 2^256 elements', list('uint256[]'), concat([word(32), word(2n ** 256n - 1n), word(1)])],
    ['a type of 1,000 parts, 4,000 times for nothing', heavy, samePlace(4000, word(0))],
    ['words that are places and lengths in one', list('uint256[][][][]'), concat(Array<Hex>(5000).fill(word(32)))],
    ['a text before its own place', list('string'), concat([word(2n ** 256n - 32n), word(1)])],
  ]

  it.each(bombs)('is rejected before decoding: %s (threat 36)', async (_name, abi, data) => {
    expect(sizeOf(data)).toBeLessThanOrEqual(BUDGET)
    const { result, took, grown } = await measured(() => attempt(() => decodeContractResult(abi, data, LIMITS)))
    expect(result).toBeUndefined()
    // a busy machine may take some milliseconds; decoding would take seconds and gigabytes
    expect(took).toBeLessThan(500)
    expect(grown).toBeLessThan(64)
  })

  it('may refer to the same offset twice, within the budget (threat 36)', () => {
    expect(JSON.parse(decodeContractResult(list('string[]'), samePlace(3, text(4)), LIMITS))).toEqual(
      Array(3).fill('aaaa'),
    )
  })

  it('is decoded in bounded time and memory at its maximum length', async () => {
    const count = BUDGET / 32 - 2
    const data = encodeAbiParameters([{ type: 'uint256[]' }], [Array(count).fill(2n ** 256n - 1n)])
    const { result, took, grown } = await measured(() => decodeContractResult(list('uint256[]'), data, LIMITS))
    expect(JSON.parse(result)).toHaveLength(count)
    expect(took).toBeLessThan(1000)
    expect(grown).toBeLessThan(64)
  })
})

/** A valid ABI, with the answer of a compiled contract. */
function answers(): fc.Arbitrary<{ abi: AbiFunction; data: Hex }> {
  return fc
    .array(parameter(), { minLength: 1, maxLength: 3 })
    .chain((outputs) => fc.tuple(fc.constant(outputs), fc.tuple(...outputs.map(anyValue))))
    .map(([outputs, values]) => ({
      abi: readFunctionAbi(viewFunction(outputs)),
      data: encodeAbiParameters(outputs, values as never),
    }))
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work() ?? ('nothing' as T)
  } catch {
    return undefined
  }
}
