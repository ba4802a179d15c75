import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rateMeter, showProgress } from './progress.js'

describe('progress', () => {
  let written: string
  beforeEach(() => {
    written = ''
    vi.useFakeTimers({ toFake: ['performance'] })
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += text
      return true
    })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('prints rate and remaining time at intervals without a terminal', async () => {
    const { isTTY } = process.stderr
    process.stderr.isTTY = false as never
    try {
      const progress = await showProgress('tides.csv')
      for (let second = 0; second <= 25; second += 1) {
        progress.update(second * 1_000_000, 100_000_000)
        vi.advanceTimersByTime(1000)
      }
      progress.stop()
    } finally {
      process.stderr.isTTY = isTTY
    }
    expect(written.trimEnd().split('\n')).toEqual([
      'downloading tides.csv: 9.5 MiB of 95.3 MiB, 976 KiB/s, 1 min 30 s left',
      'downloading tides.csv: 19 MiB of 95.3 MiB, 976 KiB/s, 1 min 20 s left',
    ])
  })

  it('measures the rate of the last seconds, not of the whole transfer', () => {
    let now = 0
    const rate = rateMeter(() => now)
    for (; now < 60_000; now += 1000) rate(now)
    expect(rate(now)).toBe(1000)
    const stopped = now
    for (; now < stopped + 10_000; now += 1000) rate(stopped)
    expect(rate(stopped)).toBe(0)
  })
})
