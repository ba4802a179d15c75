import type { Address, Hex } from 'viem'
import type { AssetLink, LicenseDocument, Terms, TermsDocument } from './terms/types.js'

/** An exact amount of a token: in its smallest unit, and as a decimal text. */
export interface Amount {
  token: Address
  symbol: string
  decimals: number
  /** In the token's smallest unit. */
  units: bigint
  /** `units` as a decimal text, without zeros at the end: "5.01". Never rounded. */
  amount: string
}

/** The price of one order of a service. */
export interface Price {
  /** How the datatoken is sold: by an exchange, for free, or by no known contract. */
  type: 'fixed' | 'free' | 'unavailable'
  /** The datatoken's price with all exchange fees. Undefined if it is free or unavailable. */
  datatoken?: Amount
  /** The fees in `datatoken`: of the exchange's market, the consuming market and the community. */
  exchangeFees?: Amount
  /** The publisher's fee of each order, if the template has one. */
  publishFee?: Amount
  /** The provider's fee. */
  providerFee?: Amount
  /** The sum of each token; empty if nothing is due. */
  total: Amount[]
  /**
   * Set if the price comes from the provider's index, without fees, as the chain was not asked. Units then have 18 decimals,
   * whatever the token has.
   */
  told?: true
}

export interface AssetFile {
  index: number
  /** The same in each version of the asset that has the file, at any index and with any name. Undefined if the provider tells none. */
  id?: string
  /** The publisher's name of the file, a relative path; otherwise that of the storage. Untrusted. */
  name?: string
  contentType?: string
  /** Size in bytes, if the storage reports it. */
  size?: number
  /** Whether the file is available now. */
  available: boolean
}

export interface AssetService {
  id: string
  name?: string
  type: string
  datatoken: Address
  /** Validity of an order in seconds; 0 is unlimited. */
  timeout: number
  /** Restricts the buyers of the asset further. */
  buyers?: Buyers
  price: Price
  files: AssetFile[]
  /** Names this version of the files. Indices name other files in another version. */
  filesVersion?: string
}

/** The only buyers: an account of `accounts`, or a member of an access list. Both empty: by rules that this library ignores. */
export interface Buyers {
  accounts: Address[]
  lists: { address: Address; chainId: number }[]
}

/** The description of an asset. */
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
  /** Undefined if a buyer need not accept any, and in lists. */
  terms?: Terms
  /** Samples and further links; empty in lists. */
  links: AssetLink[]
  /** Empty in lists. */
  licenseDocuments: LicenseDocument[]
  type: string
  state: AssetState
  /** Set if the operator of the provider neither sells nor delivers it (purgatory): the reason, which may be empty. */
  blocked?: string
  /** Undefined if everybody may buy, except accounts that the publisher excludes. */
  buyers?: Buyers
  created?: Date
  updated?: Date
  /** Orders that the index has seen. */
  orders: number
  services: AssetService[]
}

export type AssetState = 'active' | 'retired' | 'deprecated' | 'revoked' | 'disabled' | 'unlisted'

/**
 * Receiver of a part of a payment: the publisher, the market that published, the market that bought, the protocol's
 * community, the provider, or the seller of a datatoken outside the known exchanges.
 */
export type PaidTo = 'publisher' | 'market' | 'consumeMarket' | 'protocol' | 'provider' | 'seller'

export interface Payment {
  to: PaidTo
  amount: Amount
  /** Undefined if the contract keeps the amount for its receiver. */
  receiver?: Address
}

/** The payments in an order's transaction. */
export interface Paid {
  /**
   * Source of the datatoken: an exchange, a dispenser (free), or another seller in the same transaction. `held`: it was
   * bought in an earlier transaction, at an unknown price. `renewal`: a new provider fee for an earlier order.
   */
  source: 'exchange' | 'dispenser' | 'other' | 'held' | 'renewal'
  payments: Payment[]
  /** The sum of each token; empty if the transaction paid nothing. */
  total: Amount[]
}

/** An order of an asset, for its publisher. */
export interface Sale extends Paid {
  tx: Hex
  chainId: number
  did: string
  /** Name of the asset; empty if the index hides it. */
  name: string
  /** Id of the service; undefined if the index hides the asset, or the service is gone. */
  service?: string
  datatoken: Address
  consumer: Address
  payer: Address
  time: Date
  /** The order that it renews. */
  renews?: Hex
}

/** The receipt of an order, for its buyer. */
export interface Receipt extends Sale {
  /** Number of the order in its transaction, from 1. */
  number: number
  /** Number of all orders of the transaction. */
  ordersInTransaction: number
  /** Name of the service. */
  serviceName?: string
  /** Publisher of the asset. */
  publisher?: Address
  /** URL of the provider. */
  provider: string
  /**
   * Terms that the order's transaction accepts. `isCurrent`: whether the asset has the same terms now; undefined if the index
   * hides it.
   */
  terms?: { sha256: string; isCurrent?: boolean }
  /** End of the access; undefined if it never ends, or is unknown (without `service`). */
  expires?: Date
}

/** An order on the chain. */
export interface Order {
  tx: Hex
  chainId: number
  did: string
  /** Name of the asset. */
  name: string
  service: string
  datatoken: Address
  consumer: Address
  payer: Address
  started: Date
  /** The only file that it opens; undefined if it opens all, or the provider was not asked. */
  file?: number
  /** Undefined if it never expires. */
  expires?: Date
  /** Set if `payments` was requested. */
  paid?: Paid
  /** Reason of the provider's refusal; undefined if it accepts the order or was not asked. */
  refused?: string
}

/** The signed provider fee of one order, from the provider's `initialize`. */
export interface ProviderFee {
  providerFeeAddress: Address
  providerFeeToken: Address
  /** Decimal text, in the token's smallest unit. */
  providerFeeAmount: string
  providerData: Hex
  v: number
  r: Hex
  s: Hex
  /** End of the paid compute time, in seconds since 1970; 0 for none. The quote itself is valid for a day. */
  validUntil: number
}

export interface Quote {
  did: string
  service: string
  chainId: number
  datatoken: Address
  /** Receiver of the files. */
  consumer: Address
  /** The requested file. At a fee by size, the order opens no other. */
  file?: number | undefined
  /** The amounts due: nothing with `order`, only the provider fee with `renews`, no datatoken with `held`. */
  price: Price
  /** A valid order: nothing is to be bought. */
  order?: Hex | undefined
  /** An order with valid access and an expired provider fee. */
  renews?: Hex | undefined
  /**
   * An order that can never be used: a clock was wrong, and its quote had expired when it was mined. Only its provider can
   * help.
   */
  unusable?: Hex | undefined
  /** Whether the buyer holds a datatoken of an unfinished purchase. */
  held?: boolean | undefined
  /** The provider's signed fee. Undefined with `order`. */
  providerFee?: ProviderFee | undefined
}

export interface Bought {
  /** The order for a download. */
  order: Hex
  did: string
  service: string
  /** Whether a valid order was used instead of a new one. */
  reused: boolean
  paid: Amount[]
  transactions: Hex[]
  /** SHA-256 of the terms that the order accepts. */
  terms?: string
}

export interface Published {
  did: string
  nft: Address
  datatoken: Address
  services: { id: string; datatoken: Address }[]
  transactions: Hex[]
}

/**
 * A storage object: `{type: 'url', url, method}`, or any other kind in the provider's documentation. Its `name` is the public
 * name of the file, a relative path such as `2026/tides.csv`.
 */
export type FileObject = { type: string } & Record<string, unknown>

/** A change of a present file, by its index: it is removed, gets another name, or another file in its place. */
export interface FileEdit {
  index: number
  remove?: true
  name?: string
  file?: FileObject
}

/**
 * The price of one order: free, or an amount of a token, by default of a new asset OCEAN. The token is an address, or a symbol
 * of the network's list.
 */
export type Asking = 'free' | { amount: string; token?: string }

export interface PublishRequest {
  files: FileObject[]
  name: string
  description?: string | undefined
  author?: string | undefined
  license?: string | undefined
  tags?: string[] | undefined
  serviceName?: string | undefined
  /** Terms that a buyer must accept: of `termsAt` or `uploadPublic`. */
  terms?: TermsDocument | undefined
  /** URLs of samples, at most 10: of `uploadPublic`. */
  samples?: string[] | undefined
  price: Asking
  /** The only addresses that may buy. Default: all. */
  access?: Address[] | undefined
  /** Access lists whose members may buy, beside `access`. */
  accessLists?: Address[] | undefined
  /** Validity of an order in seconds. Default: 0, unlimited. */
  timeout?: number | undefined
  /** Hides the asset from searches. It can be bought by its DID. */
  unlisted?: boolean | undefined
  /** Chain of the asset. Default: the wallet's. */
  chainId?: number | undefined
  /** The first transaction of an attempt whose second one failed: its contracts are used. */
  resume?: Hex | undefined
  /** Called with a description before each step. */
  onStep?: ((step: string) => void) | undefined
}

export interface Downloaded {
  name: string
  contentType?: string
  /** Size in bytes, if the provider reports it. */
  size?: number
  /** SHA-256 of the whole file as hex, if the provider sends it. */
  sha256?: string
  /** Callable once. Streams the bytes and resumes interrupted transfers. Reads nothing ahead. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Callable once. Returns the bytes in memory. */
  blob(): Promise<Blob>
  /** Ends an unread or partly read download. */
  cancel(reason?: unknown): void
}
