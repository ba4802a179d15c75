import type { Amount, Price } from '@tidegate/protocol/asset'
import type { Address, Hex } from 'viem'
import type { Paid } from './sales/types.js'
import type { TermsDocument } from './terms/types.js'

export type {
  Amount,
  Asset,
  AssetFile,
  AssetService,
  AssetState,
  Buyers,
  Price,
  Release,
} from '@tidegate/protocol/asset'

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
  /** Whether the publisher asks for credentials: `present` them before you buy or download, or the order opens nothing. */
  presents?: true | undefined
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
  /** What is new in these files, for buyers. */
  notes?: string | undefined
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
