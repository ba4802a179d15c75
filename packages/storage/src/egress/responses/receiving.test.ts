import type { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { STORAGE_LIMITS } from '../../limits.js'
import { receiving, recycle } from './receiving.js'

const { chunk, slowChunk, slowAfter, quickReads } = STORAGE_LIMITS.receiving

/** Reads full buffers of two sockets in turn: one without pauses, one with. Returns the sizes of the chunks. */
function read(times: number): Record<'quick' | 'slow', number[]> {
  const { buffer, callback } = receiving()
  const next = buffer as () => Buffer
  const sizes = { quick: [] as number[], slow: [] as number[] }
  const sockets = (['quick', 'slow'] as const).map((name) => {
    const push = (received: Buffer) => {
      sizes[name].push(received.length)
      recycle(received)
      return true
    }
    return { name, socket: { push } as unknown as Socket, own: next() }
  })
  const receive = (one: (typeof sockets)[number]) => {
    callback.call(one.socket, one.own.length, one.own)
    one.own = next()
  }
  const clock = vi.spyOn(performance, 'now')
  for (let now = 0, at = 0; at < times; at++) {
    now += slowAfter
    clock.mockReturnValue(now)
    for (const one of sockets) {
      if (one.name === 'slow') receive(one)
      else
        for (let part = 0; part < 10; part++) {
          clock.mockReturnValue(now + (part * slowAfter) / 10)
          receive(one)
        }
    }
    now += slowAfter / 10
  }
  return sizes
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('reads are small until a socket has been read quickly for a while', () => {
  const { quick, slow } = read(20)
  expect(new Set(slow)).toEqual(new Set([slowChunk]))
  expect(new Set(quick.slice(0, quickReads))).toEqual(new Set([slowChunk]))
  expect(quick.at(-1)).toBe(chunk)
})
