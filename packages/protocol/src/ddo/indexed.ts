import type { Address, Hex } from '../hex.js'

export interface IndexedNft {
  address: Address
  name: string
  symbol: string
  /** Token URI and owner at creation. */
  tokenUri: string
  owner: Address
  /** ISO 8601 time of the block that deployed it. */
  created: string
}

export interface IndexedDatatoken {
  address: Address
  nft: Address
  name: string
  symbol: string
}

/** The last metadata event of a data NFT, and the result of reading its document. */
export interface IndexedMetadata {
  nft: Address
  did: string
  /** State that the event set: 0 active, 1 end of life, 2 deprecated, 3 revoked, 4 temporarily disabled, 5 unlisted. */
  state: number
  /** The document as published, JSON text; null when this provider cannot use it. */
  ddo: string | null
  /** Why there is no document. */
  reason: string | null
  /** Whether the document is encrypted on the chain; otherwise it is public. */
  encrypted: boolean
  txId: Hex
  block: number
  /** The signer of the event's transaction, according to the event. */
  from: Address
  /** Seconds since 1970. */
  timestamp: number
}

export interface IndexedAsset {
  chainId: number
  nft: IndexedNft
  datatokens: (IndexedDatatoken & { orders: number })[]
  metadata: IndexedMetadata
  /**
   * The services of its document (`storedServices`), where those and its text are all that is needed to serve it; undefined
   * where the document must be parsed, and where it was not read to be served.
   */
  services?: string | undefined
  /** Bytes of its document, where that was too long to be read with those of other assets: then it is null here. */
  unread?: number | undefined
}

/** Why the document of an asset is unknown, where that is not what reading it once more would tell. */
export const LASTING_REASONS = { unread: 'has events that no node gives', unstorable: 'cannot be stored' } as const

/** Characters that a datatoken takes beside its names. */
const DATATOKEN = 100

/** Returns the characters of an asset. */
export function charactersOf({ metadata, nft, datatokens, services = '' }: IndexedAsset): number {
  let size = services.length + (metadata.ddo?.length ?? 0) + nft.name.length + nft.symbol.length + nft.tokenUri.length
  for (const { name, symbol } of datatokens) size += DATATOKEN + name.length + symbol.length
  return size
}
