import { describe, expect, it } from 'vitest'
import { abortSignal, Canceller } from '../src/cancellation.js'

const GONE = new Error('gone')

describe('a canceller', () => {
  it('calls each listener once, in order, and none that was removed or came too late', () => {
    const canceller = new Canceller()
    const calls: string[] = []
    const removed = () => calls.push('removed')
    canceller.addEventListener('abort', () => {
      calls.push('first')
      canceller.removeEventListener('abort', leaving)
      canceller.addEventListener('abort', () => calls.push('added meanwhile'))
    })
    const leaving = () => calls.push('removed meanwhile')
    canceller.addEventListener('abort', leaving)
    canceller.addEventListener('abort', removed)
    canceller.removeEventListener('abort', removed)
    canceller.addEventListener('abort', () => calls.push('last'))
    canceller.throwIfAborted()
    expect([canceller.aborted, canceller.reason]).toEqual([false, undefined])
    canceller.abort(GONE)
    canceller.abort(new Error('again'))
    canceller.addEventListener('abort', () => calls.push('late'))
    expect(calls).toEqual(['first', 'last'])
    expect([canceller.aborted, canceller.reason]).toEqual([true, GONE])
    expect(() => canceller.throwIfAborted()).toThrow(GONE)
  })

  it('tells the others where one listener throws, whose error is not lost', async () => {
    const canceller = new Canceller()
    const told: string[] = []
    canceller.addEventListener('abort', () => {
      throw GONE
    })
    canceller.addEventListener('abort', () => told.push('second'))
    const uncaught = new Promise((resolve) => {
      const others = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', (error: Error) => {
        for (const other of others) process.on('uncaughtException', other)
        resolve(error)
      })
    })
    canceller.abort(GONE)
    expect(told).toEqual(['second'])
    expect(await uncaught).toBe(GONE)
  })

  it.each(['before', 'after'])('gives an AbortSignal that aborts with it, asked for %s that', async (when) => {
    const canceller = new Canceller()
    const early = when === 'before' ? canceller.signal : undefined
    canceller.abort(GONE)
    const { signal } = canceller
    expect([signal.aborted, signal.reason]).toEqual([true, GONE])
    expect(signal).toBe(early ?? canceller.signal)
    expect(abortSignal(canceller)).toBe(signal)
    expect(AbortSignal.any([signal, new AbortController().signal]).reason).toBe(GONE)
    await expect(fetch('http://127.0.0.1:1', { signal })).rejects.toBe(GONE)
  })

  it('leaves an AbortSignal as it is', () => {
    const { signal } = new AbortController()
    expect(abortSignal(signal)).toBe(signal)
  })
})
