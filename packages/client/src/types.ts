import type { Address, Hex } from 'viem'

/** An amount of a token, exact: in its smallest unit, and as a decimal text for people. */
export interface Amount {
  token: Address
  symbol: string
  decimals: number
  /** In the token's smallest unit. */
  units: bigint
  /** `units` written with the token's decimals, without zeros at the end: "5.01". Never rounded. */
  amount: string
}

/** What one order of a service costs. */
export interface Price {
  /** How the datatoken is sold: by an exchange, for free, or by no known contract. */
  type: 'fixed' | 'free' | 'unavailable'
  /** The datatoken's price with all exchange fees. Undefined for free ones, and where it is unavailable. */
  datatoken?: Amount
  /** The part of it that is fees: of the exchange's market, of the consuming market and of the community. */
  exchangeFees?: Amount
  /** What the datatoken's publisher adds to each order, if the template says so. */
  publishFee?: Amount
  /** What the provider asks for. */
  providerFee?: Amount
  /** All of it, one entry for each token; none if nothing is paid. */
  total: Amount[]
  /**
   * The price is what the provider's index tells, without any fee, as the chain was not asked. Units are then those of
   * 18 decimals, whatever the token has.
   */
  told?: true
}

export interface AssetFile {
  index: number
  name?: string
  contentType?: string
  /** Bytes, if the storage tells. */
  size?: number
  /** Whether the file is available now. */
  available: boolean
}

export interface AssetService {
  id: string
  name?: string
  type: string
  datatoken: Address
  /** Seconds for which an order holds; 0 for ever. */
  timeout: number
  price: Price
  files: AssetFile[]
}

/** What a person wants to know about an asset. */
export interface Asset {
  did: string
  chainId: number
  nft: Address
  owner: Address
  name: string
  description: string
  author: string
  license: string
  tags: string[]
  type: string
  state: AssetState
  created?: Date
  updated?: Date
  /** Orders that the index has seen. */
  orders: number
  services: AssetService[]
}

export type AssetState = 'active' | 'retired' | 'deprecated' | 'revoked' | 'disabled' | 'unlisted'

/** An order of somebody, as the chain tells. */
export interface Order {
  tx: Hex
  did: string
  service: string
  datatoken: Address
  consumer: Address
  payer: Address
  started: Date
  /** The only file that it opens; undefined if it opens all of them, or the provider was not asked. */
  file?: number
  /** Undefined for one that holds for ever. */
  expires?: Date
  /** Why the provider does not accept it, in a sentence; undefined if it does, or was not asked. */
  refused?: string
}

/** The provider fee of one order, signed, as the provider's `initialize` answers it. */
export interface ProviderFee {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal text, in the token's smallest unit. */
  providerFeeAmount: string
  providerData: Hex
  v: number
  r: Hex
  s: Hex
  /** End of the compute time that the fee pays for, in seconds since 1970; 0 for none. The quote itself is valid for a day. */
  validUntil: number
}

export interface Quote {
  did: string
  service: string
  chainId: number
  datatoken: Address
  /** Who is to have the files. */
  consumer: Address
  /** The file that was named. At a fee by size, the order opens no other. */
  file?: number | undefined
  /** What buying takes: with `order` nothing, with `renews` the provider fee alone, with `held` no datatoken. */
  price: Price
  /** A valid order, which makes buying unnecessary. */
  order?: Hex | undefined
  /** An order whose access still runs while its provider fee has expired. */
  renews?: Hex | undefined
  /** An order that can never be used: its quote had expired when it was mined, as a clock was wrong. Only its provider can help. */
  unusable?: Hex | undefined
  /** Whether the buyer holds a datatoken already, of a purchase that was broken off. */
  held?: boolean | undefined
  /** What the provider signed. Undefined with `order`. */
  providerFee?: ProviderFee | undefined
}

export interface Bought {
  /** What a download names. */
  order: Hex
  did: string
  service: string
  /** Whether an order that held was used instead of a new one. */
  reused: boolean
  paid: Amount[]
  transactions: Hex[]
}

export interface Published {
  did: string
  nft: Address
  datatoken: Address
  services: { id: string; datatoken: Address }[]
  transactions: Hex[]
}

/** A storage object: `{type: 'url', url, method}` and every other kind that the provider knows, as its documentation says. */
export type FileObject = { type: string } & Record<string, unknown>

/** What is paid for one order of a service that is published: nothing, or an amount of a token, OCEAN by default. */
export type Asking = 'free' | { amount: string; token?: Address }

export interface PublishRequest {
  files: FileObject[]
  name: string
  description?: string | undefined
  author?: string | undefined
  license?: string | undefined
  tags?: string[] | undefined
  serviceName?: string | undefined
  price: Asking
  /** The only addresses that may buy; everybody, if it is not given. */
  access?: Address[] | undefined
  /** Seconds for which an order holds; 0, the default, for ever. */
  timeout?: number | undefined
  /** Chain to publish on; the wallet's own if it is not given. */
  chainId?: number | undefined
  /** The first transaction of an attempt whose second one failed: what it has made is used. */
  resume?: Hex | undefined
  /** Called before each step, to be shown to people. */
  onStep?: ((step: string) => void) | undefined
}

export interface Downloaded {
  name: string
  contentType?: string
  /** Bytes, if the provider tells. */
  size?: number
  /** SHA-256 of the whole file as hex, if the provider tells. */
  sha256?: string
  /** Once: the bytes, resumed where a transfer breaks off. Nothing is read ahead of the consumer. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Once: the bytes in memory. */
  blob(): Promise<Blob>
  /** Ends a download that is not read, or not to its end. */
  cancel(reason?: unknown): void
}
