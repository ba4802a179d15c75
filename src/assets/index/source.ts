import type { IndexStore } from '../../state/store.js'
import { readDdo } from '../ddo.js'
import type { AssetSource } from '../resolver.js'

/** The on-chain index as a source of assets: what it knows was checked against the chain when it was read. */
export function indexSource(index: IndexStore): AssetSource {
  return {
    name: 'index',
    async find(did) {
      const found = await index.asset(did)
      if (!found || found.metadata.ddo === null) return undefined
      const read = readDdo(JSON.parse(found.metadata.ddo))
      if ('problems' in read) return undefined
      return {
        chainId: found.chainId,
        nft: found.nft.address,
        state: found.metadata.state,
        ddo: read.ddo,
        datatokens: found.datatokens.map((datatoken) => datatoken.address),
      }
    },
  }
}
