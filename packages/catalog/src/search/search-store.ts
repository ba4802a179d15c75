import type { IndexedAsset } from '@tidegate/protocol'
import type { OrderPage } from './orders/find-orders.js'
import type { OrderSearch } from './orders/order-request.js'
import type { Scope, Search, SearchResult } from './syntax.js'

/** Full-text search in the documents of the index. */
export interface SearchStore {
  /**
   * Finds documents, all from one snapshot. Rejects with SearchError if it times out or is unavailable, and with
   * ValidationError for a search that is too expensive.
   */
  find(search: Search, scope: Scope): Promise<SearchResult>
  /** Finds orders on some chains. Rejects as `find` does. */
  findOrders(search: OrderSearch, chains: readonly number[]): Promise<OrderPage>
  /** Refuses further searches, and waits for those that are under way. */
  close(): Promise<void>
  /** Reads assets of hits that `find` has not read, as they are now. */
  assets(dids: string[]): Promise<Map<string, IndexedAsset>>
  /** Reads the document of an asset that was read without (`unread`); undefined if it was changed since. */
  document(asset: IndexedAsset): Promise<string | undefined>
  /** Builds the search rows of some documents that lack them, or have those of an earlier version. Returns false if there are none left. */
  buildSome(): Promise<boolean>
  /**
   * Merges some of what changes have added to the full-text index with what was there: every search reads all of its parts.
   * Returns false if there is nothing left to merge now, as always in a database that has no parts.
   */
  mergeSome(): Promise<boolean>
}
