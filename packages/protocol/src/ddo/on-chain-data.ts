import type { Address, Hex } from '../hex.js'

/** The price of one datatoken. */
export interface Price {
  /** Decimal amount of the price token for one datatoken; "0" for a dispenser. */
  value: string
  tokenAddress?: Address | undefined
  tokenSymbol?: string | undefined
}

/** Data of an asset that only contract calls provide; fields whose call failed are omitted. */
export interface OnChainData {
  owner?: Address
  tokenUri?: string
  price?: Price
  /** Active offers by datatoken. */
  offers?: ReadonlyMap<Address, Offer[]>
  /** Names of the datatokens of its services that its NFT did not deploy. */
  names?: ReadonlyMap<Address, TokenName>
}

/** An active offer of a datatoken, in the form of `indexedMetadata`. */
export interface Offer {
  type: 'fixedrate' | 'dispenser'
  /** Decimal amount of the token for one datatoken; "0" for a dispenser. */
  price: string
  /** The exchange or dispenser. */
  contract: Address
  token?: Address
  exchangeId?: Hex
}

/** The name and symbol of a token. */
export interface TokenName {
  name: string
  symbol: string
}
