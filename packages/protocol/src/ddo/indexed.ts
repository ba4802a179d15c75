import type { Address, Hex } from '../hex.js'
import type { Offer } from './on-chain/on-chain-data.js'

export interface IndexedNft {
  address: Address
  name: string
  symbol: string
  /** Token URI and owner at creation. */
  tokenUri: string
  owner: Address
  /** Time of the block that deployed the NFT, in ISO 8601. */
  created: string
}

export interface IndexedDatatoken {
  address: Address
  nft: Address
  name: string
  symbol: string
}

/** The last metadata event of a data NFT, and its document. */
export interface IndexedMetadata {
  nft: Address
  did: string
  /** State in the event: 0 active, 1 end of life, 2 deprecated, 3 revoked, 4 temporarily disabled, 5 unlisted. */
  state: number
  /** JSON text of the published document; null if this provider cannot use it. */
  ddo: string | null
  /** The reason for a missing document. */
  reason: string | null
  /** Whether the document is encrypted on the chain. Otherwise it is public. */
  encrypted: boolean
  txId: Hex
  block: number
  /** Signer of the transaction, according to the event. */
  from: Address
  /** Seconds since 1970. */
  timestamp: number
}

export interface IndexedAsset {
  chainId: number
  nft: IndexedNft
  datatokens: (IndexedDatatoken & { orders: number })[]
  metadata: IndexedMetadata
  /** Active offers by datatoken; undefined if the index does not know them. */
  offers?: ReadonlyMap<Address, Offer[]> | undefined
  /** Services of the document (`storedServices`); undefined if the document must be parsed first. */
  services?: string | undefined
  /** Bytes of a document that was too long for a read of several assets; `ddo` is null then. */
  unread?: number | undefined
}

/** Reasons that a retry cannot change. */
export const LASTING_REASONS = {
  unread: 'has events that no node gives',
  unstorable: 'cannot be stored',
  foreign: 'not encrypted to this key',
} as const

/** Characters of a datatoken without its names. */
const DATATOKEN = 100

/** Characters of an offer. */
const OFFER = 300

/** Returns the characters of an asset. */
export function charactersOf({ metadata, nft, datatokens, offers, services = '' }: IndexedAsset): number {
  let size = services.length + (metadata.ddo?.length ?? 0) + nft.name.length + nft.symbol.length + nft.tokenUri.length
  for (const { name, symbol } of datatokens) size += DATATOKEN + name.length + symbol.length
  for (const list of offers?.values() ?? []) size += OFFER * list.length
  return size
}
