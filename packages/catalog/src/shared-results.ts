import { LRUCache } from 'lru-cache'

/** Upper bound of the memory of one result without its texts, in bytes. */
export const BASE_SIZE = 1024

interface SharedResultsOptions<T> {
  /** Bytes that all results may take; those not asked for in the longest time are evicted. */
  maxSize: number
  /** Upper bound of the memory of a result, in bytes. */
  size: (result: T) => number
  /** Time to live of a result, in milliseconds. */
  ttl: number
  /** Milliseconds for which one that is in flight is shared; `ttl` unless told otherwise. */
  inFlight?: number
}

/** Results that requests share while they are in flight and for a while after, within a bound of memory. */
export class SharedResults<T> {
  private readonly cache: LRUCache<string, Promise<T>>

  constructor(private readonly options: SharedResultsOptions<T>) {
    const { maxSize, ttl } = options
    this.cache = new LRUCache({ maxSize, ttl })
  }

  /** Returns the result for a key, made unless there is one; rejects as the making of it does, which is not kept. */
  get(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.cache.get(key)
    if (known) return known
    const { ttl, inFlight = ttl, size } = this.options
    const pending = make()
    this.cache.set(key, pending, { ttl: inFlight, size: BASE_SIZE })
    // an existing value keeps its old size when it is set again
    const settled = () => this.cache.peek(key) === pending && this.cache.delete(key)
    pending.then(
      // its time to live starts when it has settled
      (result) => settled() && this.cache.set(key, pending, { size: size(result) }),
      settled,
    )
    return pending
  }
}
