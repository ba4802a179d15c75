import { LRUCache } from 'lru-cache'

/**
 * Options of an LRU cache of up to so many entries that takes memory as it fills. Its option `max` allocates lists for all of
 * them at once: 12 to 24 ms for 100,000, at every start.
 */
export function upTo(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Texts in a cache of what is derived from them. */
const CACHED_TEXTS = 10_000

/**
 * Caches what a pure function derives from texts, for those that were used last. The caller bounds their length. Such a cache
 * needs no owner: every process would derive the same value.
 */
export function memoizedText<V extends object | boolean | string>(derive: (text: string) => V): (text: string) => V {
  const cache = new LRUCache<string, V>(upTo(CACHED_TEXTS))
  return (text) => {
    const hit = cache.get(text)
    if (hit !== undefined) return hit
    // a copy: a part of a longer text, such as a parameter, would keep all of that in memory
    const own = decoder.decode(encoder.encode(text))
    const value = derive(own)
    cache.set(own, value)
    return value
  }
}

/**
 * Caches what a pure function derives from an object, for as long as that object lives. Such a cache needs no owner and
 * no bound of its own: the entry is garbage-collected with its key, and every process would derive the same value.
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
