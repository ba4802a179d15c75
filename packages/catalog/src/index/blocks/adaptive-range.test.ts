import { describe, expect, it } from 'vitest'
import { seeded } from '../../../../../stress/torture/lib/random.js'
import { AdaptiveRange, type RangeFailure } from './adaptive-range.js'

const MAX = 10_000

/** Requests ranges from a node. `answer` returns the number of events, or undefined if the request fails. */
function sizes(requests: number, answer: (blocks: number, at: number) => number | RangeFailure) {
  const range = new AdaptiveRange(MAX)
  const requested: number[] = []
  let failures = 0
  for (let at = 0; at < requests; at++) {
    const { blocks } = range
    requested.push(blocks)
    const events = answer(blocks, at)
    if (typeof events === 'number') range.succeeded(blocks, events)
    else {
      failures += 1
      range.failed(blocks, events)
    }
  }
  const mean = (from: number) => requested.slice(from).reduce((sum, blocks) => sum + blocks, 0) / (requests - from)
  return { requested, failures, mean }
}

describe('AdaptiveRange', () => {
  const limits = [1, 9, 500, 1234, 2000, 9999, 50_000]
  it.each(
    limits.flatMap((limit) => [[limit, 'refused'] as const, [limit, 'timeout'] as const]),
  )('finds the limit of a node that returns %i blocks: larger requests are %s', (limit, failure) => {
    const { requested, failures, mean } = sizes(1000, (blocks) => (blocks <= limit ? 0 : failure))
    expect(mean(100)).toBeGreaterThan(0.7 * Math.min(limit, MAX))
    expect(Math.min(...requested)).toBeGreaterThan(0)
    expect(Math.max(...requested)).toBeLessThanOrEqual(MAX)
    expect(failures).toBeLessThan(40)
  })

  it.each([
    ['timeout', 0.05],
    ['timeout', 0.1],
    ['other', 0.4],
  ] as const)('stays large if requests of any size are %s, a share of %d', (failure, share) => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seeded(seed)
      const { mean } = sizes(2000, () => (random.chance(share) ? failure : 0))
      expect(mean(100)).toBeGreaterThan(0.3 * MAX)
    }
  })

  it('recovers soon after an outage', () => {
    const { requested } = sizes(300, (_, at) => (at >= 100 && at < 200 ? 'other' : 0))
    expect(requested[199]).toBe(1)
    expect(requested[220]).toBe(MAX)
  })

  it('shrinks in a part of the chain that is refused, and grows after it', () => {
    const busy = (at: number) => at >= 200 && at < 400
    const { requested, failures } = sizes(1000, (blocks, at) => (busy(at) && blocks > 100 ? 'refused' : 0))
    expect(requested.slice(240, 400).filter((blocks) => blocks > 125)).toHaveLength(0)
    expect(failures).toBeLessThan(20)
    expect(requested.at(-1)).toBe(MAX)
  })

  it('shrinks with many events, and grows with few', () => {
    const { requested } = sizes(300, (blocks, at) => (at < 100 ? blocks * 50 : 0))
    expect(requested.slice(20, 100).every((blocks) => blocks <= 80)).toBe(true)
    expect(requested.at(-1)).toBe(MAX)
  })

  it('approaches the maximum events of a range from below', () => {
    const { requested } = sizes(300, (blocks) => blocks * 30)
    expect(new Set(requested.slice(20))).toEqual(new Set([66]))
  })

  it.each(
    (['timeout', 'other'] as const).flatMap((failure) => [
      [failure, 'of one request', 1, 1] as const,
      [failure, 'that ends while ever fewer blocks are asked for', 40, 3] as const,
      [failure, 'in which not even one block comes', 40, 12] as const,
    ]),
  )('recovers soon after outages at the head: %s, %s', (failure, _, left, requests) => {
    const range = new AdaptiveRange(2000)
    const read = (blocks: number) => {
      let count = 0
      for (let rest = blocks; rest > 0; count++) {
        const requested = Math.min(rest, range.blocks)
        range.succeeded(requested, 0)
        rest -= requested
      }
      return count
    }
    read(5000)
    for (let outages = 0; outages < 20; outages++) {
      // at the head, requests have few blocks
      for (let polls = 0; polls < 10; polls++) read(3)
      for (let count = 0; count < requests; count++) range.failed(Math.min(left, range.blocks), failure)
    }
    expect(read(3000)).toBeLessThan(80)
  })
})
