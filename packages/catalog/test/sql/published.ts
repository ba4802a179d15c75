import type { Address } from 'viem'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import type { IndexChange } from '../../src/index/index-store.js'

/** The chain of the assets. */
export const CHAIN = 7
/** Searches of everybody on this chain. */
export const SCOPE = { chains: [CHAIN], encrypted: true, purgatory: [] }
/** When an asset was created, unless the test says so. */
const CREATED = '2026-01-01T00:00:00Z'

export const nftAt = (at: number) => `0x${at.toString(16).padStart(40, '0')}` as Address

/** Returns an asset, and the changes of the index that publish it. `document`: further fields of its document. */
export function published(at: number, metadata: object, document: object = {}, created = CREATED) {
  const nft = nftAt(at)
  const did = didOf(nft, CHAIN)
  const told = { state: 0, reason: null, encrypted: false, txId: '0x1', block: 1, from: nft, timestamp: 1 } as const
  const ddo = JSON.stringify({ id: did, metadata, ...document })
  const changes: IndexChange[] = [
    { kind: 'nft', nft: { address: nft, name: 'n', symbol: 's', tokenUri: '', owner: nft, created } },
    { kind: 'metadata', metadata: { ...told, nft, did, ddo } },
  ]
  return { did, changes }
}
