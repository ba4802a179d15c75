import { LRUCache } from 'lru-cache'
import type { AssetSource, SourcedAsset } from './resolver.js'

/** Capacity of the cache, in characters of documents. */
const MAX_SIZE = 33_554_432

/** A source whose assets are cached until the index of their chain changes. */
export interface CachedSource extends AssetSource {
  /** Evicts the assets of a chain, whose index has changed. */
  invalidate(chainId: number): void
}

/**
 * Caches the parsed and checked assets of a source, so that a cache hit parses no document: until they are invalidated,
 * and for `ttl` milliseconds at most, since other instances change the index as well. Misses are not cached.
 */
export function cachedSource(source: AssetSource & { size(asset: SourcedAsset): number }, ttl: number): CachedSource {
  const cache = new LRUCache<string, SourcedAsset>({ maxSize: MAX_SIZE, sizeCalculation: source.size, ttl })
  /** Reads in flight, so that concurrent requests for one asset parse its document once. */
  const inFlight = new Map<string, Promise<SourcedAsset | undefined>>()

  function read(did: string): Promise<SourcedAsset | undefined> {
    const reading = source.find(did).then(
      (found) => {
        // invalidated while it was read: it may already be stale
        if (inFlight.get(did) !== reading) return found
        inFlight.delete(did)
        if (found) cache.set(did, found)
        return found
      },
      (error) => {
        if (inFlight.get(did) === reading) inFlight.delete(did)
        throw error
      },
    )
    inFlight.set(did, reading)
    return reading
  }

  return {
    name: source.name,
    async find(did) {
      return cache.get(did) ?? inFlight.get(did) ?? read(did)
    },
    invalidate(chainId) {
      inFlight.clear()
      for (const [did, asset] of cache.entries()) if (asset.chainId === chainId) cache.delete(did)
    },
  }
}
