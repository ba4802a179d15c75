import type { PublicClient } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { polling } from './polling.js'

describe('polling for blocks', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Polls with viem's default interval of 4 seconds. Returns the time of each poll, and a function that ends it. */
  function watched(getBlockNumber: () => Promise<bigint>, onBlockNumber: (block: bigint) => unknown = () => undefined) {
    const begun = Date.now()
    const times: number[] = []
    const client = {
      getBlockNumber: () => {
        times.push(Date.now() - begun)
        return getBlockNumber()
      },
    }
    const watching = polling(client as unknown as PublicClient)
    const end = watching.watchBlockNumber({ onBlockNumber: onBlockNumber as () => void, pollingInterval: 4000 })
    return { times, end }
  }

  it('doubles its pauses from a short one up to the interval of the client', async () => {
    const blocks: bigint[] = []
    const { times, end } = watched(
      async () => 7n,
      (block) => blocks.push(block),
    )
    await vi.advanceTimersByTimeAsync(16_000)
    expect(times).toEqual([0, 100, 300, 700, 1500, 3100, 6300, 10_300, 14_300])
    // each poll reports the same block
    expect(blocks).toEqual(times.map(() => 7n))
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times).toHaveLength(9)
  })

  it('waits for a pending response, and repeats a failed request', async () => {
    const answers = [new Promise<bigint>((resolve) => setTimeout(resolve, 9000, 1n)), Promise.reject(new Error('busy'))]
    answers[1]?.catch(() => undefined)
    const { times, end } = watched(() => answers.shift() ?? Promise.resolve(2n))
    await vi.advanceTimersByTimeAsync(9350)
    expect(times).toEqual([0, 9100, 9300])
    end()
  })

  it('ends during a pending request', async () => {
    const { times, end } = watched(() => new Promise((resolve) => setTimeout(resolve, 1000, 1n)))
    await vi.advanceTimersByTimeAsync(500)
    end()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times).toEqual([0])
  })
})
