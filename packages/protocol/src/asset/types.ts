import type { Address } from '../hex.js'

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
  /** What the publisher tells of this version of the files. */
  release?: Release
}

/** A version of the files of a service, as its publisher tells: nobody has checked it. */
export interface Release {
  /** From 1. */
  number: number
  /** What is new in it. Untrusted. */
  notes?: string
  date?: Date
  /** Number of files. */
  files?: number
  /** Bytes of all files, if they are known. */
  bytes?: number
  /** Formats such as `csv` and `tar.gz`, that of the most files first. */
  formats: string[]
}

/** The only buyers: an account of `accounts`, or a member of an access list. Both empty: by rules that this description ignores. */
export interface Buyers {
  /** Whether consumers present credentials of another kind, which a policy server judges. */
  presents?: true
  accounts: Address[]
  lists: { address: Address; chainId: number }[]
}

/** The description of an asset. */
export interface Asset {
  did: string
  chainId: number
  nft: Address
  owner: Address
  /** The account that has sent the newest metadata; undefined if the provider does not tell it. */
  publisher?: Address
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

/** A link of an asset to the web. The host is to be shown: the publisher chooses name and target. */
export interface AssetLink {
  url: string
  host: string
  name: string
  /** Whether it is a public file of this provider. */
  isHere: boolean
}

/** The description of terms in a document. */
export interface TermsDocument {
  url: string
  /** SHA-256 of the document at the URL, as hex. */
  sha256: string
  name: string
  contentType?: string
}

/** The terms of an asset, which a buyer must accept. */
export interface Terms extends AssetLink, TermsDocument {}

/** A document of the licence of an asset of version 5. */
export interface LicenseDocument {
  name: string
  type?: string
  url?: string
  host?: string
  sha256?: string
}
