import { ChainError, type IndexedAsset } from '@tidegate/protocol'
import type { Address } from 'viem'
import type { AssetIndex } from './index/current.js'
import { bool } from './search/request/clauses.js'
import type { Clause, Search } from './search/syntax.js'

/** Accounts whose assets are served. */
export interface Publishers {
  /** Accounts on every chain. */
  addresses: readonly Address[]
  /** Returns the members of the access lists of a chain; undefined if they are unknown at present. */
  members(chainId: number): ReadonlySet<Address> | undefined
}

/**
 * Whether one of the publishers has sent the newest metadata of an asset. The owner at creation proves nothing: the deployer of
 * a data NFT chooses its owner and the accounts that may write its metadata. Throws ChainError if access lists decide and are unknown.
 */
export function isOfPublishers(
  { chainId, metadata }: Pick<IndexedAsset, 'chainId'> & { metadata: Pick<IndexedAsset['metadata'], 'from'> },
  publishers: Publishers | undefined,
): boolean {
  if (publishers === undefined || publishers.addresses.includes(metadata.from)) return true
  const members = publishers.members(chainId)
  if (!members)
    throw new ChainError('CHAIN_UNAVAILABLE', 'The access lists of publishers are not read yet. Try again later.')
  return members.has(metadata.from)
}

/** Returns an index without the assets of other publishers. */
export function indexOfPublishers(index: AssetIndex, publishers: Publishers | undefined): AssetIndex {
  if (publishers === undefined) return index
  return {
    assertAbsent: (did, options) => index.assertAbsent(did, options),
    async asset(did) {
      const found = await index.asset(did)
      return found && isOfPublishers(found, publishers) ? found : undefined
    },
  }
}

/** Returns a search that finds the assets of publishers alone. Members of lists are found on the chain of their list. */
export function searchOfPublishers(
  search: Search,
  publishers: Publishers | undefined,
  chains: readonly number[],
): Search {
  if (publishers === undefined) return search
  const should = [sentBy(publishers.addresses)]
  for (const chainId of chains) {
    const members = [...(publishers.members(chainId) ?? [])]
    if (members.length > 0) should.push(bool({ filter: [values('chainId', [String(chainId)]), sentBy(members)] }))
  }
  return { ...search, query: bool({ must: [search.query], filter: [bool({ should, least: 1 })] }) }
}

const values = (path: string, list: readonly string[]): Clause => {
  return { kind: 'values', path, values: [...list], exact: false, boost: 1 }
}

const sentBy = (accounts: readonly Address[]) => values('event.from', accounts)
