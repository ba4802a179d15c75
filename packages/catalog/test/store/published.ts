import { zeroHash } from 'viem'
import { orderOf } from '../../../../test/helpers/orders.js'
import { ALICE } from '../../../../test/helpers/store-session.js'
import type { IndexedMetadata, IndexedNft } from '../../../protocol/src/ddo/indexed.js'
import type { IndexChange } from '../../src/index/index-store.js'
import type { CatalogSession } from '../catalog.js'

export const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
export const TOKEN = '0xA74847bf9cebD3696031dC8f0033CF9A009E66Bc'
export const DID = 'did:op:1'

export const nft: IndexedNft = {
  ...{ address: NFT, name: 'n', symbol: 's', tokenUri: '', owner: ALICE },
  created: '2026-01-01T00:00:00Z',
}
export const metadata: IndexedMetadata = {
  ...{ nft: NFT, did: DID, state: 0, ddo: '{"a":"ü"}', reason: null, encrypted: true },
  ...{ txId: zeroHash, block: 7, from: ALICE, timestamp: 70 },
}
export const order: IndexChange = orderOf(TOKEN)

/** The events of an asset that is published and ordered twice. */
export const PUBLISHED: IndexChange[] = [
  { kind: 'nft', nft },
  { kind: 'datatoken', datatoken: { address: TOKEN, nft: NFT, name: 'd', symbol: 't' } },
  { kind: 'metadata', metadata },
  order,
  order,
]

/** A change that no database can store, since its transaction hash is missing. */
export const UNSTORABLE = { kind: 'metadata', metadata: { ...metadata, txId: null } } as unknown as IndexChange

/** A block; another digit gives a block with the same number on another fork. */
export const at = (block: number, fork = '0') => ({ block, hash: `0x${fork.repeat(64)}` as const })

/** Commits a batch that moves the index of a chain from its cursor to a block. */
export async function commit(
  { store }: CatalogSession,
  changes: IndexChange[],
  block: number,
  { chainId = 1, provisional }: { chainId?: number; provisional?: boolean } = {},
): Promise<boolean> {
  const from = await store.index.cursor(chainId)
  return store.index.commit({ chainId, from, to: at(block), changes, provisional })
}
