import type { IndexStore } from '../../state/store.js'
import { readDdo } from '../ddo.js'
import type { AssetSource, SourcedAsset } from '../resolver.js'

/** The on-chain index as a source of assets: what it knows was checked against the chain when it was read. */
export function indexSource(index: IndexStore): AssetSource & { size(asset: SourcedAsset): number } {
  const sizes = new WeakMap<SourcedAsset, number>()
  return {
    size: (asset) => sizes.get(asset) ?? 1,
    name: 'index',
    async find(did) {
      const found = await index.asset(did)
      if (!found || found.metadata.ddo === null) return undefined
      const read = readDdo(JSON.parse(found.metadata.ddo))
      if ('problems' in read) return undefined
      const asset = {
        chainId: found.chainId,
        nft: found.nft.address,
        state: found.metadata.state,
        ddo: read.ddo,
        datatokens: found.datatokens.map((datatoken) => datatoken.address),
      }
      sizes.set(asset, found.metadata.ddo.length)
      return asset
    },
  }
}
