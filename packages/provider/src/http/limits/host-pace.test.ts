import { describe, expect, it } from 'vitest'
import { HostPace } from './host-pace.js'

describe('the pace of archives', () => {
  it('holds by host for all archives together, after a burst (threat 121)', async () => {
    const [pace, { signal }] = [new HostPace(3, 50), new AbortController()]
    const begun = performance.now()
    const ask = (host: string) => pace.ofFile(signal)(host)
    await Promise.all(Array.from({ length: 7 }, () => ask('a.example')))
    // three at once, and four in their turns
    expect(performance.now() - begun).toBeGreaterThan(195)
  })

  it('counts a file once for each host, and ends with its request', async () => {
    const [pace, controller] = [new HostPace(2, 1_000_000), new AbortController()]
    const file = pace.ofFile(controller.signal)
    for (let n = 0; n < 10; n++) await Promise.all([file('a.example'), file('b.example')])
    await pace.ofFile(controller.signal)('a.example')
    const waiting = pace.ofFile(controller.signal)('a.example')
    controller.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
  })
})
