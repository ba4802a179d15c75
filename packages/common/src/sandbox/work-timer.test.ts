import { afterEach, expect, it, vi } from 'vitest'
import { afterWork } from './work-timer.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Starts a timer of a second in a process that uses this share of a core. Returns the seconds after which it is over. */
function secondsAt(share: number): number | undefined {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const begun = performance.now()
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({
    user: share * 1000 * (performance.now() - begun),
    system: 0,
  }))
  let over: number | undefined
  afterWork(1000, () => {
    over = performance.now() - begun
  })
  vi.advanceTimersByTime(60_000)
  return over === undefined ? undefined : Math.round(over / 100) / 10
}

it.each([
  ['a core of its own', 1, 1],
  ['two cores', 2, 1],
  ['half a core', 0.5, 2],
  ['a hundredth of a core, or waits', 0.01, 6],
])('a deadline is met after the work of a second if a process has %s', (_, share, seconds) => {
  expect(secondsAt(share)).toBe(seconds)
})

it('a cancelled deadline is never met', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const onOver = vi.fn()
  afterWork(1000, onOver)()
  vi.advanceTimersByTime(60_000)
  expect(onOver).not.toHaveBeenCalled()
})
