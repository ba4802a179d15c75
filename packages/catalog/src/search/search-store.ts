import type { IndexedAsset } from '@tidegate/protocol'
import type { OrderPage } from './orders/find-orders.js'
import type { OrderSearch } from './orders/order-request.js'
import type { Caller } from './serving/places.js'
import type { Scope, Search, SearchResult } from './syntax.js'

/** Full-text search in the documents of the index. */
export interface SearchStore {
  /**
   * Finds documents in one snapshot. Rejects with SearchError if unavailable or too slow, ValidationError if too expensive. The signal of
   * the caller ends its statements.
   */
  find(search: Search, scope: Scope, caller?: Caller): Promise<SearchResult>
  /** Finds orders on some chains. Rejects as `find` does. */
  findOrders(search: OrderSearch, chains: readonly number[], caller?: Caller): Promise<OrderPage>
  /** Refuses further searches and waits for running ones. */
  close(): Promise<void>
  /** Reads current assets of hits that `find` has not read. */
  assets(dids: string[]): Promise<Map<string, IndexedAsset>>
  /** Reads the long document of an asset (`unread`); undefined if the asset has changed since. */
  document(asset: IndexedAsset): Promise<string | undefined>
  /** Builds some missing or outdated search rows. Returns false if there are none. */
  buildSome(): Promise<boolean>
  /**
   * PostgreSQL: lets the full-text indexes collect the words of new documents and add them in bulk, which is several times cheaper, but
   * every search reads the collected ones. False: adds them now, and those of each later document at once.
   */
  collectWords(isOn: boolean): Promise<void>
  /** Merges some full-text segments; every search reads all segments. Returns false if nothing is left to merge. */
  mergeSome(): Promise<boolean>
}
