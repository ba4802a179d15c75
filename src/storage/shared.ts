import { LRUCache } from 'lru-cache'
import { unlessAborted } from '../abort.js'

interface Kept<T> {
  version: string
  value: T
}

interface Running<T> extends Pick<Kept<T>, 'version'> {
  promise: Promise<T>
  controller: AbortController
  waiting: number
}

export interface SharedOptions<T> {
  /** Values that are kept at most, and the characters of their keys and versions in all. */
  max: number
  maxSize: number
  /** Milliseconds for which a value is given again. */
  timeToLive: (value: T) => number
}

/**
 * Work whose result is the same for whoever asks: it is done once for all who wait for it, its value is kept for a
 * while, and it is aborted when the last one who waits has gone.
 */
export class Shared<T extends object> {
  private readonly kept: LRUCache<string, Kept<T>>
  private readonly running = new Map<string, Running<T>>()

  constructor(private readonly options: SharedOptions<T>) {
    const { max, maxSize } = options
    this.kept = new LRUCache({ max, maxSize, sizeCalculation: ({ version }, key) => key.length + version.length + 1 })
  }

  /**
   * The value of a key, made by `work` unless there is one of this version. Rejects with what the work throws, or with
   * the reason of the signal, which ends the waiting of this one caller.
   */
  get(key: string, version: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const known = this.kept.get(key)
    if (known?.version === version) return Promise.resolve(known.value)
    if (signal.aborted) return Promise.reject(signal.reason)
    let running = this.running.get(key)
    if (running?.version !== version) running = this.start(key, version, work)
    return this.wait(running, signal)
  }

  private start(key: string, version: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController()
    const promise = work(controller.signal)
    const running = { version, promise, controller, waiting: 0 }
    this.running.set(key, running)
    const over = () => {
      if (this.running.get(key) === running) this.running.delete(key)
    }
    promise.then((value) => {
      over()
      // what was found out in a hurry says nothing to the next one
      if (!controller.signal.aborted) this.kept.set(key, { version, value }, { ttl: this.options.timeToLive(value) })
    }, over)
    controller.signal.addEventListener('abort', over)
    return running
  }

  private wait(running: Running<T>, signal: AbortSignal): Promise<T> {
    running.waiting += 1
    const leave = () => {
      running.waiting -= 1
      if (running.waiting === 0) running.controller.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    return unlessAborted(running.promise, signal).finally(() => signal.removeEventListener('abort', leave))
  }
}
