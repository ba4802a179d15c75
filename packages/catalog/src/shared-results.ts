import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from './limits.js'

export const { resultSize: BASE_SIZE } = CATALOG_LIMITS.index

interface SharedResultsOptions<T> {
  /** Bytes of all results. The least recently used are evicted. */
  maxSize: number
  /** Upper bound of the memory of a result, in bytes. */
  size: (result: T) => number
  /** Milliseconds for which a result is cached. */
  ttl: number
  /** Milliseconds for which a pending result is shared. Default: `ttl`. */
  inFlight?: number
}

/** Coalesces and caches results within a memory limit. */
export class SharedResults<T> {
  private readonly cache: LRUCache<string, Promise<T>>

  constructor(private readonly options: SharedResultsOptions<T>) {
    const { maxSize, ttl } = options
    this.cache = new LRUCache({ maxSize, ttl })
  }

  /** Returns the cached, pending or new result of a key. Rejects like `make`; failures are not cached. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.cache.get(key)
    if (known) return known
    const { ttl, inFlight = ttl, size } = this.options
    const pending = make()
    this.cache.set(key, pending, { ttl: inFlight, size: BASE_SIZE })
    // deletes first, since a value that is set again keeps its size
    const settled = () => this.cache.peek(key) === pending && this.cache.delete(key)
    pending.then(
      // the time to live starts now
      (result) => settled() && this.cache.set(key, pending, { size: size(result) }),
      settled,
    )
    return pending
  }
}
