import type { PublicClient } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../limits.js'
import { Moment } from './moment.js'

const CHAIN = 8996
const BEHIND = [
  'header not found',
  'unknown block',
  'missing trie node 1f (path ) state 0x1f is not available',
  'BlockOutOfRangeError: block height is 5 but requested was 10',
  'cannot query unfinalized data',
]

describe('reads at one block', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A client whose heads are given, and whose reads are answered by the number of their block. */
  function clientOf(heads: number[], read: (block: number) => unknown = () => '0x1') {
    const asked: number[] = []
    const request = async ({ method, params }: { method: string; params: unknown[] }) => {
      if (method === 'eth_getBlockByNumber') return { number: heads.shift(), timestamp: 1, logsBloom: '0x' }
      const block = Number(params.at(-1))
      asked.push(block)
      return read(block)
    }
    return { client: { request } as unknown as PublicClient, asked }
  }
  const refusal = (message: string, more: object = {}) => Object.assign(new Error(message), { code: -32000, ...more })
  const read = (moment: Moment) => moment.read('eth_call', [{}])

  it('do not go back to a head that is older than one before, of the same chain', async () => {
    const { client, asked } = clientOf([7, 5, 5, 6])
    for (const [chainId, least] of [[CHAIN], [CHAIN], [1], [1, 9]] as [number, number?][])
      await read(await Moment.of(client, chainId, least))
    expect(asked).toEqual([7, 7, 5, 9])
  })

  it('follow a receipt', async () => {
    const { client, asked } = clientOf([7, 7])
    const after = (await Moment.of(client, CHAIN)).after({ blockNumber: 8n })
    await read(after)
    await read(await Moment.of(client, CHAIN))
    expect(asked).toEqual([8, 8])
  })

  it.each(BEHIND)('are repeated while the node lacks the block: %s', async (message) => {
    let left = 3
    const { client, asked } = clientOf([7], () => {
      if (left-- > 0) throw refusal(message)
      return '0x2'
    })
    const answer = read(await Moment.of(client, CHAIN))
    await vi.advanceTimersByTimeAsync(LIMITS.behind.known)
    expect([await answer, asked]).toEqual(['0x2', [7, 7, 7, 7]])
  })

  it('end with a message that names the block, and begin anew on a chain that was set back', async () => {
    const { client } = clientOf([7, 3], (block) => {
      if (block > 3) throw refusal('header not found')
      return '0x3'
    })
    const failure = read(await Moment.of(client, CHAIN)).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(LIMITS.behind.known)
    expect(await failure).toMatchObject({ code: 'CHAIN_BEHIND', message: expect.stringContaining('block 7') })
    expect(await read(await Moment.of(client, CHAIN))).toBe('0x3')
  })

  it.each([
    ['execution reverted: header not found', {}],
    ['header not found', { code: 3 }],
    ['header not found', { data: '0x08c379a0' }],
  ])('are not repeated for a revert: %s', async (message, more) => {
    const { client, asked } = clientOf([7], () => {
      throw refusal(message, more)
    })
    await expect(read(await Moment.of(client, CHAIN))).rejects.toThrow(message)
    expect(asked).toHaveLength(1)
  })
})
