import { LRUCache } from 'lru-cache'
import { PROTOCOL_LIMITS } from './limits.js'

/**
 * Options of an LRU cache with a maximum number of entries, which allocates memory gradually. Option `max` would
 * allocate for all entries at each start: 12 to 24 ms for 100,000.
 */
export function upTo(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Caches the results of a pure function by text, for the last used texts. The caller bounds their length. No owner is
 * needed: every process derives the same values.
 */
export function memoizedText<V extends object | boolean | string>(derive: (text: string) => V): (text: string) => V {
  const cache = new LRUCache<string, V>(upTo(PROTOCOL_LIMITS.caches.texts))
  return (text) => {
    const hit = cache.get(text)
    if (hit !== undefined) return hit
    // a copy: a slice would keep its whole text in memory
    const own = decoder.decode(encoder.encode(text))
    const value = derive(own)
    cache.set(own, value)
    return value
  }
}

/**
 * Caches the results of a pure function by object, as long as the object lives. No owner or bound is needed: entries are
 * garbage-collected with their keys, and every process derives the same values.
 */
export function memoized<K extends object, V>(derive: (key: K) => V): (key: K) => V {
  const cache = new WeakMap<K, { value: V }>()
  return (key) => {
    const hit = cache.get(key)
    if (hit) return hit.value
    const value = derive(key)
    cache.set(key, { value })
    return value
  }
}
