import { LRUCache } from 'lru-cache'
import type { AssetSource, UnverifiedAsset } from './resolver.js'

/** Capacity of the cache, in characters of documents. */
const MAX_SIZE = 33_554_432

/** A source whose assets are cached until the index of their chain changes. */
export interface CachedSource extends AssetSource {
  /** Evicts the assets of a chain, whose index has changed. */
  invalidate(chainId: number): void
}

export interface CacheOptions {
  /** Milliseconds for which an asset is kept at most, since other instances change the index as well. */
  ttl: number
  /** Ids of all chains. */
  chains: readonly number[]
  /** Whether the index of a chain is fresh. */
  isCurrent(chainId: number): boolean
}

/**
 * Caches the parsed and checked assets of a source, so that a cache hit parses no document: until they are invalidated, and
 * for as long as the index of their chain stays current, or stays stale: from then on they come from elsewhere. Misses are
 * not cached.
 */
export function cachedSource(
  source: AssetSource & { size(asset: UnverifiedAsset): number },
  { ttl, chains, isCurrent }: CacheOptions,
): CachedSource {
  const cache = new LRUCache<string, UnverifiedAsset>({ maxSize: MAX_SIZE, sizeCalculation: source.size, ttl })
  /** Assets that were read from an index that was current then. */
  const fresh = new WeakSet<UnverifiedAsset>()
  /** Reads in flight, so that concurrent requests for one asset parse its document once. */
  const inFlight = new Map<string, Promise<UnverifiedAsset | undefined>>()

  function read(did: string): Promise<UnverifiedAsset | undefined> {
    const current = new Set(chains.filter(isCurrent))
    const reading = source.find(did).then(
      (found) => {
        // invalidated while it was read: it may already be stale
        if (inFlight.get(did) !== reading) return found
        inFlight.delete(did)
        if (found) keep(did, found, current.has(found.chainId))
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

  function keep(did: string, asset: UnverifiedAsset, wasCurrent: boolean): void {
    if (isCurrent(asset.chainId) !== wasCurrent) return
    if (wasCurrent) fresh.add(asset)
    cache.set(did, asset)
  }

  function kept(did: string): UnverifiedAsset | undefined {
    const asset = cache.get(did)
    return asset && fresh.has(asset) === isCurrent(asset.chainId) ? asset : undefined
  }

  return {
    name: source.name,
    async find(did) {
      return kept(did) ?? inFlight.get(did) ?? read(did)
    },
    invalidate(chainId) {
      inFlight.clear()
      for (const [did, asset] of cache.entries()) if (asset.chainId === chainId) cache.delete(did)
    },
  }
}
