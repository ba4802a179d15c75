import { type Driver, runScript } from '@tidegate/database'
import { type IndexedAsset, SearchError } from '@tidegate/protocol'
import { assetsOf, documentOf } from '../index/tables/assets.js'
import { CATALOG_LIMITS } from '../limits.js'
import type { OrderPage } from './orders/find-orders.js'
import type { OrderSearch } from './orders/order-request.js'
import type { Caller } from './serving/places.js'
import { Searches } from './serving/searches.js'
import type { Scope, Search, SearchResult } from './syntax.js'
import { collectWords, mergeSome } from './tables/full-text-index.js'
import { buildSome, unbuilt } from './tables/pending.js'

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

/** Creates the store of the search tables. */
export function searchStore(db: Driver): SearchStore {
  const searches = new Searches(db)
  return {
    close: () => searches.close(),
    async find(search, scope, caller) {
      const found = await searches.find(search, scope, caller)
      if (!found.building) return found
      throw new SearchError('SEARCH_UNAVAILABLE', 'The search index is being built. Try again later.')
    },
    async findOrders(search, chains, caller) {
      const found = await searches.findOrders(search, chains, caller)
      if (found) return found
      throw new SearchError('SEARCH_UNAVAILABLE', 'The orders are being read for the first time. Try again later.')
    },
    assets: (dids) => runScript(assetsOf(dids, db.dialect), (query) => db.query(query)),
    document: (asset) => runScript(documentOf(asset), (query) => db.query(query)),
    async buildSome() {
      // checks before it begins a write transaction, since there are rarely any
      const some = await runScript(unbuilt(1), (query) => db.query(query))
      if (some.length === 0) return false
      return db.onThread?.({ task: 'build' }) ?? db.transact(buildSome(db.dialect))
    },
    collectWords: (isOn) => collectWords(db, isOn),
    async mergeSome() {
      return db.dialect === 'sqlite' && (await db.transact(mergeSome(CATALOG_LIMITS.search.merged)))
    },
  }
}
