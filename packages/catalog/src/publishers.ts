import type { IndexedAsset } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { AssetIndex } from './index/current.js'
import { bool } from './search/request/clauses.js'
import type { Clause, Search } from './search/syntax.js'

/** Accounts whose assets are served; undefined means everybody. */
export type Publishers = readonly Address[] | undefined

/**
 * Whether one of the publishers has sent the newest metadata of an asset. The owner at creation says nothing: whoever deploys
 * a data NFT names its owner, and who else may write its metadata.
 */
export function isOfPublishers({ metadata }: IndexedAsset, publishers: Publishers): boolean {
  return publishers === undefined || publishers.includes(metadata.from)
}

/** Returns an index without the assets of other publishers. */
export function indexOfPublishers(index: AssetIndex, publishers: Publishers): AssetIndex {
  if (publishers === undefined) return index
  return {
    assertAbsent: (did, options) => index.assertAbsent(did, options),
    async asset(did) {
      const found = await index.asset(did)
      return found && isOfPublishers(found, publishers) ? found : undefined
    },
  }
}

/** Returns a search that finds the assets of publishers alone. */
export function searchOfPublishers(search: Search, publishers: Publishers): Search {
  if (publishers === undefined) return search
  const sender: Clause = { kind: 'values', path: 'event.from', values: [...publishers], exact: false, boost: 1 }
  return { ...search, query: bool({ must: [search.query], filter: [sender] }) }
}
