import { zeroHash } from 'viem'
import { ALICE } from '../../../../test/helpers/store-session.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { Address } from '../../../protocol/src/hex.js'
import type { IndexChange } from '../../src/index/index-store.js'
import { readSearch } from '../../src/search/request/request.js'
import type { Scope, SearchResult } from '../../src/search/syntax.js'
import type { Catalog, CatalogSession } from '../catalog.js'

/** A published asset: where it is found, and the events that publish it. */
export interface PublishedAsset {
  did: string
  nft: Address
  datatoken: Address
  changes: IndexChange[]
}

interface PublishedOptions {
  chainId?: number
  /** Day of January 2026 on which its NFT was deployed. */
  day?: number
  state?: number
  encrypted?: boolean
}

/** An asset with a datatoken and this `metadata`; another number gives another NFT. */
export function assetOf(
  number: number,
  metadata: object,
  { chainId = 1, day = number, state = 0, encrypted = false }: PublishedOptions = {},
): PublishedAsset {
  const nft: Address = `0x${String(number).padStart(40, '0')}`
  const datatoken: Address = `0x9${String(number).padStart(39, '0')}`
  const did = didOf(nft, chainId)
  const ddo = JSON.stringify({ id: did, chainId, metadata, services: [{ id: 's', datatokenAddress: datatoken }] })
  const created = `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`
  const event = { txId: zeroHash, block: 1, from: ALICE, timestamp: 1, reason: null } as const
  const changes: IndexChange[] = [
    { kind: 'nft', nft: { address: nft, name: 'n', symbol: 's', tokenUri: '', owner: ALICE, created } },
    { kind: 'datatoken', datatoken: { address: datatoken, nft, name: 'd', symbol: 't' } },
    { kind: 'metadata', metadata: { ...event, nft, did, state, ddo, encrypted } },
  ]
  return { did, nft, datatoken, changes }
}

/** The assets that most tests search, the oldest first. */
export const CATALOGUE = {
  tables: assetOf(1, {
    ...{
      type: 'dataset',
      name: 'Tide tables of Brest',
      description: 'High water, hour by hour. The tide at its best.',
    },
    ...{ tags: ['Tide', 'France'], author: 'Élodie', stations: 3, measured: '2025-03-01' },
  }),
  waves: assetOf(2, {
    ...{ type: 'dataset', name: 'Wave heights', description: 'Buoys beside the tide gauges.' },
    ...{ tags: ['north', 'sea', 'North Sea'], author: 'Bob', stations: 12, measured: '2025-09-01' },
  }),
  model: assetOf(3, {
    ...{ type: 'algorithm', name: 'Harmonic analysis', description: 'Predicts every tide of a gauge.' },
    ...{ tags: ['Tide'], author: 'bob', stations: 7 },
  }),
}

/** All events of the catalogue. */
export const CATALOGUE_CHANGES = Object.values(CATALOGUE).flatMap(({ changes }) => changes)

const NAMES = new Map(Object.entries(CATALOGUE).map(([name, { did }]) => [did, name]))

/** The name of an asset of the catalogue; of any other its DID. */
export const nameOf = (did: string): string => NAMES.get(did) ?? did

/** Searches of a store, in the format that front ends send. Without another `scope`, everything of chain 1 is in it. */
export function searches(session: CatalogSession) {
  const find = (body: object, scope: Partial<Scope> = {}, store: Catalog = session.store): Promise<SearchResult> =>
    store.search.find(readSearch(body), { chains: [1], encrypted: true, purgatory: [], ...scope })
  /** Names of the assets that are found, in the order of the hits. */
  const names = async (...search: Parameters<typeof find>): Promise<string[]> =>
    (await find(...search)).hits.map(({ did }) => nameOf(did))
  return { find, names }
}

/** A search for words that must all be in one document, in any field. */
export const words = (text: string) => ({ query: { query_string: { query: text, default_operator: 'AND' } } })
