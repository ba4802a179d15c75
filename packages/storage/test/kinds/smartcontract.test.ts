import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decodeFunctionData, type Hex } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { viewFunction } from '../../../../test/helpers/abi.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { COMMON_LIMITS } from '../../../common/src/limits.js'
import { ChainError, ValidationError } from '../../../protocol/src/errors.js'

const ADDRESS = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'

/** The call that a file of kind smartcontract makes, and its arguments from userdata. */
describe('a contract as a file', () => {
  const egress = testEgress()
  afterAll(() => egress.close())

  const asked: Hex[] = []
  let answer: () => Promise<Hex | undefined> = async () => `0x${'00'.repeat(32)}`
  const storages = testRegistry(egress, {
    readContract: (_chainId, _to, data) => {
      asked.push(data)
      return answer()
    },
  })
  const file = (inputs: object[], more: object = {}) => {
    const abi = viewFunction([{ name: '', type: 'uint256' }], inputs)
    return storages.file({ type: 'smartcontract', chainId: 1, address: ADDRESS, abi, ...more })
  }
  const problem = (type: string, value: unknown) => {
    try {
      file([{ name: 'x', type }]).check({ x: value })
      return undefined
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError)
      return (error as ValidationError).fields.userdata?.[0]
    }
  }

  it('takes its arguments from userdata, including zero values and lists', async () => {
    const inputs = [
      { name: 'a', type: 'uint8' },
      { name: 'b', type: 'int256' },
      { name: 'c', type: 'bool[2]' },
      { name: 'd', type: 'bytes4' },
      { name: '', type: 'string[][]' },
      { name: 'f', type: 'bytes' },
      { name: 'g', type: 'address' },
    ]
    const userdata = { a: 0, b: '-5', c: ['true', false], d: '0x12345678', 4: [['', 'ü'], []], f: '0x', g: ADDRESS }
    expect(await file(inputs).describe({ ...ASKING, userdata })).toMatchObject({ valid: true })
    const { args } = decodeFunctionData({ abi: [viewFunction([], inputs)], data: asked.at(-1) as Hex })
    expect(args).toEqual([0, -5n, [true, false], '0x12345678', [['', 'ü'], []], '0x', ADDRESS])
  })

  it.each([
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['int8', '-129'],
    ['uint256', `${2n ** 256n}`],
    ['uint256', '9'.repeat(1_000_000)],
    ['uint256', 1.5],
    ['uint256', 2 ** 53],
    ['uint256', [1]],
    ['bytes4', '0x123456'],
    ['bytes4', `0x${'00'.repeat(5)}`],
    ['bytes', '0x1'],
    ['bytes', 'zz'],
    ['address', '0x'],
    ['address', `${ADDRESS}00`],
    ['bool', 1],
    ['string', 5],
    ['uint8[2]', [1]],
    ['uint8[2]', [1, 2, 3]],
    ['uint8[2][]', [[1, 2], [3]]],
    ['uint8[]', { length: 4e9 }],
    ['string[]', [['x']]],
  ])('reports a wrong argument of type %s, without a chain request (threat 36)', async (type, value) => {
    asked.length = 0
    expect(problem(type, value)).toMatch(/^The userdata field must hold .* x\.$/)
    expect(await file([{ name: 'x', type }]).describe({ ...ASKING, userdata: { x: value } })).toMatchObject({
      valid: false,
    })
    expect(asked).toEqual([])
  })

  it.each([
    ['uint256[]', Array.from({ length: COMMON_LIMITS.contract.call / 32 + 1 }, () => 1)],
    ['uint256[][][][]', Array.from({ length: 70 }, () => Array.from({ length: 70 }, () => [[]]))],
    ['string', 'x'.repeat(COMMON_LIMITS.contract.call)],
    ['bytes[]', Array.from({ length: 100 }, () => `0x${'00'.repeat(2000)}`)],
  ])('rejects arguments of type %s that make the call too long, before it is made (threat 36)', (type, value) => {
    expect(problem(type, value)).toBe(
      `The userdata field must not make a contract call of more than ${COMMON_LIMITS.contract.call} bytes.`,
    )
  })

  it('accepts as many arguments as userdata can hold', () => {
    expect(
      problem(
        'uint256[]',
        Array.from({ length: 4092 }, () => 1),
      ),
    ).toBeUndefined()
  })

  it('distinguishes a contract that does not answer from a chain that does not', async () => {
    const open = () => file([]).open({ ...ASKING, method: 'GET', headers: {} })
    for (const nothing of [undefined, '0x', '0x00', `0x${'00'.repeat(31)}`] as const) {
      answer = async () => nothing
      await expect(open()).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
      expect(await file([]).describe(ASKING)).toMatchObject({ valid: false })
    }
    answer = () => Promise.reject(new ChainError('CHAIN_UNAVAILABLE', 'The blockchain node did not answer.'))
    await expect(open()).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' })
    expect(await file([]).describe(ASKING)).toMatchObject({ valid: false })
  })

  it('caches nothing for an invalid address, however long (threat 49)', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const megabytes = () => {
      collect()
      return process.memoryUsage().heapUsed / 1_048_576
    }
    const before = megabytes()
    for (let at = 0; at < 60; at++) {
      const address = `0x${String(at).padStart(1_000_000, 'x')}`
      expect(() => file([], { address })).toThrow()
      expect(problem('address', address)).toContain('address')
    }
    expect(megabytes() - before).toBeLessThan(20)
  })
})
