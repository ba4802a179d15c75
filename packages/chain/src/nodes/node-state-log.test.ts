import { expect, it, vi } from 'vitest'
import { NodeStateLog } from './node-state-log.js'

it('names each reason of a failure once, a circuit that opens, and a minute without one as its end', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const lines: [object, string][] = []
    const note = (fields: object, text: string) => void lines.push([fields, text])
    const log = { debug: note, info: note, warn: note, error: note }
    const state = new NodeStateLog()
    const fail = (reason: string, isOpen = false) =>
      state.failed(log, { chainId: 1, node: 'a', reason, backoff: 500 }, isOpen)
    const pass = () => state.works(log, 1, 'a')
    pass()
    for (let time = 0; time < 500; time++) {
      fail(time % 2 ? 'answered 500' : 'did not answer in time')
      vi.advanceTimersByTime(20_000)
      pass()
    }
    for (let time = 0; time < 50; time++) fail(`answered ${time}`)
    expect(lines.map(([, text]) => text)).toEqual(Array(5).fill('chain node failed'))
    vi.advanceTimersByTime(60_000)
    pass()
    pass()
    expect(lines.at(-1)).toEqual([{ chainId: 1, node: 'a', failures: 550 }, 'chain node works again'])
    for (let time = 0; time < 9; time++) fail('answered 500', time > 2)
    expect(lines).toHaveLength(8)
  } finally {
    vi.useRealTimers()
  }
})
