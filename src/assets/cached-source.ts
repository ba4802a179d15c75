import { LRUCache } from 'lru-cache'
import type { AssetSource, SourcedAsset } from './resolver.js'

/** Characters of documents that are kept at once, as a measure of memory. */
const MAX_SIZE = 33_554_432

/** A source whose answers are kept until the chain that they are from moves on. */
export interface CachedSource extends AssetSource {
  /** Forgets what is known of a chain: its index has changed. */
  forget(chainId: number): void
}

/**
 * Keeps the assets that a source knows, read and checked, so that a warm request reads no document again: until its
 * chain moves on, and for `ttl` milliseconds at most, since other instances move it as well. Only what is there is
 * kept: an asset that was not known a moment ago is looked for anew.
 */
export function cachedSource(source: AssetSource & { size(asset: SourcedAsset): number }, ttl: number): CachedSource {
  const kept = new LRUCache<string, SourcedAsset>({ maxSize: MAX_SIZE, sizeCalculation: source.size, ttl })
  let generation = 0
  return {
    name: source.name,
    async find(did) {
      const known = kept.get(did)
      if (known) return known
      const before = generation
      const found = await source.find(did)
      // what was read while the index moved on may be of before or of after
      if (found && before === generation) kept.set(did, found)
      return found
    },
    forget(chainId) {
      generation += 1
      for (const [did, asset] of kept.entries()) if (asset.chainId === chainId) kept.delete(did)
    },
  }
}
