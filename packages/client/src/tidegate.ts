import type { SearchResult, VerifiedPublishers } from '@tidegate/protocol/asset'
import type { Address, Hex } from 'viem'
import { type AssetOptions, asset } from './assets/asset.js'
import { type PublishedAssets, published } from './assets/published.js'
import { type SearchOptions, search } from './assets/search.js'
import { verifiedPublishers } from './assets/sellers.js'
import { createToken, deleteToken, type TokenOptions } from './auth/tokens.js'
import type { Token } from './auth/types.js'
import { type BuyOptions, buy } from './buying/buy.js'
import { type Funds, funds } from './buying/funds.js'
import { type OrdersOptions, orders } from './buying/orders.js'
import { type QuoteOptions, quote } from './buying/quote.js'
import type { SendOptions } from './chain/sender.js'
import { tokens } from './chain/tokens.js'
import type { Context, TidegateOptions } from './context.js'
import { createContext } from './create-context.js'
import { type ArchiveOptions, archive, type DownloadOptions, download } from './download/download.js'
import { type FileLink, type Link, type LinkOptions, type LinksOptions, link, links } from './download/link.js'
import { type AccessList, accessList, accessListsOf, type ListOptions } from './lists/access-list.js'
import {
  addMembers,
  createAccessList,
  type MembersChange,
  type MembersOptions,
  type NewAccessList,
  removeMembers,
} from './lists/change-list.js'
import { present } from './policies/present.js'
import type { Presentation, PresentOptions } from './policies/types.js'
import type { Changes, Difference } from './publishing/changes.js'
import { publish } from './publishing/publish.js'
import { type Changed, differences, setState, update } from './publishing/update.js'
import { type PurchasePriceOptions, purchasePrice } from './purchasing/price.js'
import { type PurchaseOptions, purchase } from './purchasing/purchase.js'
import type { Purchased, PurchasePrice } from './purchasing/types.js'
import { type FollowOptions, followSales } from './sales/follow-sales.js'
import { type ReceiptOptions, receipt } from './sales/receipt.js'
import { type SalesOptions, sales } from './sales/sales.js'
import type { Receipt, Sale } from './sales/types.js'
import { sample, terms, termsAt } from './terms/terms.js'
import type { PublicBytes, TermsDocument, TermsText } from './terms/types.js'
import type { Asset, AssetState, Bought, Downloaded, Order, Published, PublishRequest, Quote } from './types.js'
import { type Hosted, type UploadOptions, type UploadSource, upload } from './upload/upload.js'
import { type PublicFile, type PublicUploadOptions, uploadPublic } from './upload/upload-public.js'

/** All calls of the library, bound to one provider. */
export interface Tidegate {
  /** For calls that are imported one by one. */
  readonly context: Context
  search(options?: SearchOptions): Promise<SearchResult>
  published(owner: Address, options?: AssetOptions): Promise<PublishedAssets>
  asset(did: string, options?: AssetOptions): Promise<Asset>
  verifiedPublishers(options?: AssetOptions): Promise<VerifiedPublishers>
  download(did: string, options?: DownloadOptions): Promise<Downloaded>
  /** Downloads all files as a ZIP archive. */
  archive(did: string, options?: ArchiveOptions): Promise<Downloaded>
  link(did: string, options?: LinkOptions): Promise<Link>
  /** Creates links to several files with one signature. */
  links(did: string, options: LinksOptions): AsyncGenerator<FileLink>
  /** Starts the presentation of credentials that the publisher asks for. */
  present(did: string, options?: PresentOptions): Promise<Presentation>
  quote(did: string, options?: QuoteOptions): Promise<Quote>
  funds(quote: Quote): Promise<Funds>
  buy(what: string | Quote, options?: BuyOptions): Promise<Bought>
  /** Returns the price of an order for one signed payment; undefined if the provider does not sell it so. */
  purchasePrice(did: string, options?: PurchasePriceOptions): Promise<PurchasePrice | undefined>
  /** Buys by one signed payment, without coins of the chain. */
  purchase(what: string | PurchasePrice, options?: PurchaseOptions): Promise<Purchased>
  upload(source: UploadSource, options?: UploadOptions): Promise<Hosted>
  uploadPublic(source: UploadSource, options?: PublicUploadOptions): Promise<PublicFile>
  terms(did: string, options?: AssetOptions): Promise<TermsText>
  termsAt(url: string, options?: AssetOptions): Promise<TermsDocument>
  sample(url: string, options?: AssetOptions): Promise<PublicBytes>
  publish(request: PublishRequest): Promise<Published>
  update(did: string, changes: Changes): Promise<Changed>
  differences(did: string, changes: Changes): Promise<Difference[]>
  setState(did: string, state: AssetState, options?: SendOptions): Promise<Changed>
  orders(address?: Address, options?: OrdersOptions): Promise<Order[]>
  sales(options?: SalesOptions): AsyncGenerator<Sale>
  followSales(options?: FollowOptions): AsyncGenerator<Sale>
  receipt(order: Hex, options?: ReceiptOptions): Promise<Receipt>
  createAccessList(options: NewAccessList): ReturnType<typeof createAccessList>
  accessList(list: Address, options?: ListOptions & { page?: number }): Promise<AccessList>
  accessListsOf(owner?: Address, options?: ListOptions): ReturnType<typeof accessListsOf>
  addMembers(list: Address, members: readonly Address[], options?: MembersOptions): Promise<MembersChange>
  removeMembers(list: Address, members: readonly Address[], options?: MembersOptions): Promise<MembersChange>
  tokens(chainId: number): Promise<Record<string, Address>>
  createToken(options?: TokenOptions): Promise<Token>
  deleteToken(token: string, options?: Pick<TokenOptions, 'chainId' | 'signal'>): Promise<void>
}

/**
 * Creates a client of a provider. Sends no request. A program that needs few calls can import them and `createContext`
 * instead, so that a bundler leaves out the rest. Throws TidegateError `BAD_OPTION`.
 */
export function createTidegate(options: TidegateOptions): Tidegate {
  const context = createContext(options)
  return {
    context,
    search: (options) => search(context, options),
    published: (owner, options) => published(context, owner, options),
    asset: (did, options) => asset(context, did, options),
    verifiedPublishers: (options) => verifiedPublishers(context, options),
    download: (did, options) => download(context, did, options),
    archive: (did, options) => archive(context, did, options),
    link: (did, options) => link(context, did, options),
    links: (did, options) => links(context, did, options),
    present: (did, options) => present(context, did, options),
    quote: (did, options) => quote(context, did, options),
    funds: (quote) => funds(context, quote),
    buy: (what, options) => buy(context, what, options),
    purchasePrice: (did, options) => purchasePrice(context, did, options),
    purchase: (what, options) => purchase(context, what, options),
    upload: (source, options) => upload(context, source, options),
    uploadPublic: (source, options) => uploadPublic(context, source, options),
    terms: (did, options) => terms(context, did, options),
    termsAt: (url, options) => termsAt(context, url, options),
    sample: (url, options) => sample(context, url, options),
    publish: (request) => publish(context, request),
    update: (did, changes) => update(context, did, changes),
    differences: (did, changes) => differences(context, did, changes),
    setState: (did, state, options) => setState(context, did, state, options),
    orders: (address, options) => orders(context, address, options),
    sales: (options) => sales(context, options),
    followSales: (options) => followSales(context, options),
    receipt: (order, options) => receipt(context, order, options),
    createAccessList: (options) => createAccessList(context, options),
    accessList: (list, options) => accessList(context, list, options),
    accessListsOf: (owner, options) => accessListsOf(context, owner, options),
    addMembers: (list, members, options) => addMembers(context, list, members, options),
    removeMembers: (list, members, options) => removeMembers(context, list, members, options),
    tokens: (chainId) => tokens(context, chainId),
    createToken: (options) => createToken(context, options),
    deleteToken: (token, options) => deleteToken(context, token, options),
  }
}
