import type { Address, Hex } from '../hex.js'

/** The price of one datatoken. */
export interface Price {
  /** Decimal amount of the price token per datatoken; "0" for a dispenser. */
  value: string
  tokenAddress?: Address | undefined
  tokenSymbol?: string | undefined
}

/** Data of an asset from contract calls. Fields of failed calls are missing. */
export interface OnChainData {
  owner?: Address
  tokenUri?: string
  price?: Price
  /** Active offers by datatoken. */
  offers?: ReadonlyMap<Address, Offer[]>
  /** Names of service datatokens that the NFT did not deploy. */
  names?: ReadonlyMap<Address, TokenName>
}

/** An active offer of a datatoken, in the form of `indexedMetadata`. */
export interface Offer {
  type: 'fixedrate' | 'dispenser'
  /** Decimal amount of the token per datatoken; "0" for a dispenser. */
  price: string
  /** Exchange or dispenser. */
  contract: Address
  token?: Address
  exchangeId?: Hex
}

/** The name and symbol of a token. */
export interface TokenName {
  name: string
  symbol: string
}
