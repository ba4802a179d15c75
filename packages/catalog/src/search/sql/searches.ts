import { type Driver, type Query, type Result, runScript, SnapshotTimeout } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import { findOrders, type OrderPage } from '../orders/find-orders.js'
import type { OrderSearch } from '../orders/order-request.js'
import type { Scope, Search, SearchResult } from '../syntax.js'
import { CachedSearches, keyOf } from './cached-searches.js'
import { Turns, tooSlow } from './turns.js'

type Ask = (query: Query) => Promise<Result>

/** Runs a limited number of concurrent searches, each in a snapshot and within a deadline. */
export class Searches {
  private readonly turns: Turns
  private readonly answers: CachedSearches

  /** `deadline`: milliseconds for a search, including the queue. */
  constructor(
    private readonly db: Pick<Driver, 'dialect' | 'query' | 'snapshots'>,
    deadline: number = CATALOG_LIMITS.search.deadline,
  ) {
    this.answers = new CachedSearches(db.dialect, (query) => db.query({ ...query, isFixed: true }))
    this.turns = new Turns(db.snapshots.places, Math.min(deadline, db.snapshots.longest))
  }

  /** Throws SearchError if unavailable or too slow, ValidationError if too expensive. */
  find(search: Search, scope: Scope): Promise<SearchResult> {
    const begun = performance.now()
    return this.answers.cachedOr(keyOf(search, scope), () =>
      this.turns.run((end) => this.read(end, (ask) => this.answers.find(search, scope, ask)), begun),
    )
  }

  /** Finds orders; undefined while they are read for the first time. Throws as `find` does. */
  findOrders(search: OrderSearch, chains: readonly number[]): Promise<OrderPage | undefined> {
    const read = (end: number) => this.read(end, (ask) => runScript(findOrders(search, chains), ask))
    return this.turns.run(read, performance.now())
  }

  /** Refuses further searches, and waits for running ones. */
  close(): Promise<void> {
    return this.turns.close()
  }

  private async read<T>(end: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    try {
      return await this.db.snapshots.read(end, work)
    } catch (error) {
      throw error instanceof SnapshotTimeout ? tooSlow() : error
    }
  }
}
