import { BOUNDS } from '../../bounds.js'
import { parseJson } from '../../json.js'
import { type DdoCheck, readDdo } from '../ddo.js'
import type { AssetSource, SourcedAsset } from '../resolver.js'
import type { AssetIndex } from './current.js'

/** The on-chain index as a source of assets: what it knows was checked against the chain when it was read. */
export function indexSource(index: AssetIndex): AssetSource & { size(asset: SourcedAsset): number } {
  const sizes = new WeakMap<SourcedAsset, number>()
  return {
    size: (asset) => sizes.get(asset) ?? 1,
    name: 'index',
    async find(did) {
      const found = await index.asset(did)
      if (!found || found.metadata.ddo === null) return undefined
      const read = readStored(found.metadata.ddo)
      if (!read || 'problems' in read) return undefined
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

/** Reads on the event loop what was read in the sandbox before: the bounds make it a matter of milliseconds. */
function readStored(text: string): DdoCheck | undefined {
  try {
    return readDdo(parseJson(text, BOUNDS.document))
  } catch {
    return undefined // written by a release without these bounds
  }
}
