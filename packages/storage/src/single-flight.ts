import { abortable } from '@tidegate/common'
import { LRUCache } from 'lru-cache'

interface Cached<T> {
  version: string
  value: T
}

interface Running<T> extends Pick<Cached<T>, 'version'> {
  promise: Promise<T>
  controller: AbortController
  waiters: number
}

/** A caller. Its signal is read only if the result is not cached. */
export interface Waiter {
  readonly signal: AbortSignal
}

export interface SingleFlightOptions<T> {
  max: number
  /** Maximum characters of their keys and versions. */
  maxSize: number
  /** Time to live of a value in the cache, in milliseconds. */
  timeToLive: (value: T) => number
}

/** Coalesces concurrent calls and caches their value. A run is aborted when its last caller leaves. */
export class SingleFlight<T extends object> {
  private readonly cache: LRUCache<string, Cached<T>>
  private readonly running = new Map<string, Running<T>>()

  constructor(private readonly options: SingleFlightOptions<T>) {
    const { max, maxSize } = options
    this.cache = new LRUCache({ max, maxSize, sizeCalculation: ({ version }, key) => key.length + version.length + 1 })
  }

  /**
   * Returns the cached value of a key and version, or the result of `work`. Rejects with the error of `work`, or with the reason of the
   * waiter's signal, which cancels only this wait.
   */
  get(key: string, version: string, work: (signal: AbortSignal) => Promise<T>, waiter: Waiter): Promise<T> {
    const cached = this.cache.get(key)
    if (cached?.version === version) return Promise.resolve(cached.value)
    const { signal } = waiter
    if (signal.aborted) return Promise.reject(signal.reason)
    let running = this.running.get(key)
    if (running?.version !== version) running = this.start(key, version, work)
    return this.wait(running, signal)
  }

  private start(key: string, version: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController()
    const promise = work(controller.signal)
    const running = { version, promise, controller, waiters: 0 }
    this.running.set(key, running)
    const settled = () => {
      if (this.running.get(key) === running) this.running.delete(key)
    }
    promise.then((value) => {
      settled()
      // an aborted run may resolve to an incomplete value
      if (!controller.signal.aborted) this.cache.set(key, { version, value }, { ttl: this.options.timeToLive(value) })
    }, settled)
    controller.signal.addEventListener('abort', settled)
    return running
  }

  private wait(running: Running<T>, signal: AbortSignal): Promise<T> {
    running.waiters += 1
    const leave = () => {
      running.waiters -= 1
      if (running.waiters === 0) running.controller.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    return abortable(running.promise, signal).finally(() => signal.removeEventListener('abort', leave))
  }
}
