import { SnapshotTimeout } from '@tidegate/database'
import { SearchError } from '@tidegate/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { readSearch } from '../request/request.js'
import { Background } from './background.js'
import { Searches } from './searches.js'

const settled = () => new Promise((resolve) => setImmediate(resolve))

afterEach(() => {
  vi.restoreAllMocks()
})

test('one computation runs at a time, and rests as told, also after a failure', async () => {
  const clock = vi.spyOn(performance, 'now')
  const background = new Background()
  const begun: string[] = []
  const start = (name: string, rest: number, end: () => Promise<unknown>) =>
    background.start(rest, () => {
      begun.push(name)
      return end()
    })
  let fail: (error: Error) => void = () => undefined
  clock.mockReturnValue(1000)
  start('first', 10, () => new Promise((_resolve, reject) => (fail = reject)))
  start('beside it', 0, async () => undefined)
  clock.mockReturnValue(3000)
  fail(new Error('too slow'))
  await settled()
  clock.mockReturnValue(4999)
  start('too early', 1, async () => undefined)
  clock.mockReturnValue(5000)
  start('too early for a refused one', 10, async () => undefined)
  start('second', 1, async () => undefined)
  expect(begun).toEqual(['first', 'second'])
  await settled()
})

test('statistics are computed in the background for a search that was too slow, not for one of too many', async () => {
  const search = readSearch({ aggs: { n: { sum: { field: 'stats.orders' } } } })
  const readsAfter = async (error: Error) => {
    let reads = 0
    const read = async () => {
      reads += 1
      throw error
    }
    const snapshots = { places: 1, longest: 60_000, read }
    const query = async () => ({ rows: [{ state: null }], changes: 0 })
    const searches = new Searches({ dialect: 'sqlite', query, snapshots } as never)
    await expect(searches.find(search, { chains: [1], encrypted: true, purgatory: [] })).rejects.toThrow(SearchError)
    await settled()
    return reads
  }
  expect(await readsAfter(new SnapshotTimeout())).toBe(2)
  expect(await readsAfter(new SearchError('SEARCH_UNAVAILABLE', 'Too many searches.'))).toBe(1)
})
