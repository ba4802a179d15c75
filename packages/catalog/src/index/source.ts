import type { DocumentReader } from '../documents.js'
import type { AssetSource, UnverifiedAsset } from '../resolver.js'
import type { AssetIndex } from './current.js'

/** Returns the index as a source of assets, which were verified when they were read from the chain. */
export function indexSource(
  index: AssetIndex,
  documents: DocumentReader,
): AssetSource & { size(asset: UnverifiedAsset): number } {
  const sizes = new WeakMap<UnverifiedAsset, number>()
  return {
    size: (asset) => sizes.get(asset) ?? 1,
    name: 'index',
    async find(did) {
      const found = await index.asset(did)
      if (!found) index.assertAbsent(did)
      if (!found || found.metadata.ddo === null) return undefined
      const ddo = await documents.stored(found.metadata.ddo)
      if (!ddo) return undefined
      const asset = {
        chainId: found.chainId,
        nft: found.nft.address,
        state: found.metadata.state,
        published: found.metadata.timestamp,
        ddo,
        datatokens: found.datatokens.map((datatoken) => datatoken.address),
      }
      sizes.set(asset, found.metadata.ddo.length)
      return asset
    },
  }
}
