import { abortSignal } from '@tidegate/common'
import { describe, expect, it } from 'vitest'
import { Lifetime } from './lifetime.js'

describe('the lifetime of a request', () => {
  it('calls each listener once, in order, and none that was removed or added after the end', () => {
    const lifetime = new Lifetime()
    const calls: string[] = []
    const listen = (name: string, then: () => void = () => undefined) => {
      const listener = () => {
        calls.push(name)
        then()
      }
      lifetime.addEventListener('abort', listener)
      return listener
    }
    const leaving: { listener: () => void } = { listener: () => undefined }
    listen('first', () => lifetime.removeEventListener('abort', leaving.listener))
    leaving.listener = listen('removed meanwhile')
    lifetime.removeEventListener('abort', listen('removed'))
    listen('last')
    lifetime.onEnd(() => calls.push('end'))
    expect([lifetime.aborted, lifetime.reason]).toEqual([false, undefined])
    lifetime.throwIfAborted()
    lifetime.end()
    lifetime.end()
    listen('late')
    expect(calls).toEqual(['first', 'last', 'end'])
    expect(lifetime.aborted).toBe(true)
    expect(() => lifetime.throwIfAborted()).toThrow(lifetime.reason as DOMException)
  })

  it.each(['before', 'after'])('gives an AbortSignal that is requested %s its end', (when) => {
    const lifetime = new Lifetime()
    const early = when === 'before' ? abortSignal(lifetime) : undefined
    lifetime.end()
    const signal = abortSignal(lifetime)
    expect(signal).toBe(early ?? lifetime.signal)
    expect([signal.aborted, signal.reason]).toEqual([true, lifetime.reason])
    expect(AbortSignal.any([signal, new AbortController().signal]).reason).toBe(lifetime.reason)
    expect(abortSignal(signal)).toBe(signal)
  })
})
