import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from './limits.js'
import type { AssetSource, UnverifiedAsset } from './resolver.js'

/** A source whose assets are cached until the index of their chain changes. */
export interface CachedSource extends AssetSource {
  /** Evicts the assets of a chain after its index has changed. */
  invalidate(chainId: number): void
}

export interface CacheOptions {
  /** Maximum milliseconds for an asset in the cache, since other instances also change the index. */
  ttl: number
  /** Ids of all chains. */
  chains: readonly number[]
  /** Whether the index of a chain is fresh. */
  isCurrent(chainId: number): boolean
}

/**
 * Caches parsed and checked assets of a source until they are invalidated. An asset that was read from a current index is valid
 * only while the index is current, and one from a stale index only while it is stale. Misses are not cached.
 */
export function cachedSource(
  source: AssetSource & { size(asset: UnverifiedAsset): number },
  { ttl, chains, isCurrent }: CacheOptions,
): CachedSource {
  const cache = new LRUCache<string, UnverifiedAsset>({
    maxSize: CATALOG_LIMITS.index.cached,
    sizeCalculation: source.size,
    ttl,
  })
  /** Assets that were read while the index of their chain was current. */
  const fresh = new WeakSet<UnverifiedAsset>()
  /** Reads in flight by DID, to coalesce concurrent requests. */
  const inFlight = new Map<string, Promise<UnverifiedAsset | undefined>>()

  function read(did: string): Promise<UnverifiedAsset | undefined> {
    const current = new Set(chains.filter(isCurrent))
    const reading = source.find(did).then(
      (found) => {
        // invalidated meanwhile, so it may be stale
        if (inFlight.get(did) !== reading) return found
        inFlight.delete(did)
        if (found) store(did, found, current.has(found.chainId))
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

  function store(did: string, asset: UnverifiedAsset, wasCurrent: boolean): void {
    if (isCurrent(asset.chainId) !== wasCurrent) return
    if (wasCurrent) fresh.add(asset)
    cache.set(did, asset)
  }

  function cached(did: string): UnverifiedAsset | undefined {
    const asset = cache.get(did)
    return asset && fresh.has(asset) === isCurrent(asset.chainId) ? asset : undefined
  }

  return {
    name: source.name,
    async find(did) {
      return cached(did) ?? inFlight.get(did) ?? read(did)
    },
    invalidate(chainId) {
      inFlight.clear()
      for (const [did, asset] of cache.entries()) if (asset.chainId === chainId) cache.delete(did)
    },
  }
}
