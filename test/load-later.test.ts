import { afterEach, expect, it, vi } from 'vitest'
import { loadLater } from '../src/load-later.js'

afterEach(() => vi.useRealTimers())

it('loads modules after the start, one after the other, and lets be what cannot be loaded', async () => {
  vi.useFakeTimers()
  const loaded: string[] = []
  loadLater(async () => Promise.reject(new Error('EMFILE')))
  loadLater(async () => loaded.push('one'))
  loadLater(async () => loaded.push('other'))
  expect(vi.getTimerCount()).toBe(3)
  await vi.advanceTimersByTimeAsync(29_000)
  expect(loaded).toEqual([])
  await vi.advanceTimersToNextTimerAsync()
  await vi.advanceTimersToNextTimerAsync()
  expect(loaded).toEqual(['one'])
  await vi.advanceTimersToNextTimerAsync()
  expect(loaded).toEqual(['one', 'other'])
})
