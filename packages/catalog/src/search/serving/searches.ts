import { type Ask, type Driver, runScript, SnapshotTimeout } from '@tidegate/database'
import { CATALOG_LIMITS } from '../../limits.js'
import { findOrders, type OrderPage } from '../orders/find-orders.js'
import type { OrderSearch } from '../orders/order-request.js'
import { hasAggregations, type Scope, type Search, type SearchResult } from '../syntax.js'
import { Background } from './background.js'
import { CachedSearches, resultKey } from './cached-searches.js'
import type { Caller } from './places.js'
import { LastStatistics } from './statistics.js'
import { SlowSearch, Turns, tooSlow } from './turns.js'

/** Runs a limited number of concurrent searches, each in a snapshot and within a deadline. */
export class Searches {
  private readonly turns: Turns
  private readonly answers: CachedSearches
  /** Milliseconds for aggregations in the background. */
  private readonly renewed: number
  private readonly background = new Background()

  /** `deadline`: milliseconds for a search, including the queue. */
  constructor(
    private readonly db: Pick<Driver, 'dialect' | 'query' | 'snapshots'>,
    deadline: number = CATALOG_LIMITS.search.deadline,
    statistics = new LastStatistics(),
  ) {
    this.answers = new CachedSearches(db.dialect, (query) => db.query(query), statistics)
    this.renewed = Math.min(CATALOG_LIMITS.search.statistics.deadline, db.snapshots.longest)
    this.turns = new Turns(db.snapshots.places, Math.min(deadline, db.snapshots.longest))
  }

  /**
   * Finds documents. The aggregations of many hits may be those of an earlier state (see statistics.ts). Throws SearchError if unavailable
   * or too slow, ValidationError if too expensive.
   */
  async find(search: Search, scope: Scope, caller: Caller = {}): Promise<SearchResult> {
    const last = this.answers.lastStatistics(search, scope)
    try {
      if (!last) return await this.current(search, scope, caller)
    } catch (error) {
      // they may be known when the next one asks for them
      if (error instanceof SlowSearch && hasAggregations(search))
        this.renewStatistics(search, scope, CATALOG_LIMITS.search.statistics.rest)
      throw error
    }
    const found = await this.current({ ...search, aggregations: {} }, scope, caller)
    // the background takes half of the time at most: others wait for it as well
    if (this.answers.areStatisticsDue(last)) this.renewStatistics(search, scope, 1)
    return found.building ? found : { ...found, aggregations: last.aggregations }
  }

  private current(search: Search, scope: Scope, caller: Caller): Promise<SearchResult> {
    const begun = performance.now()
    return this.answers.cachedOr(resultKey(search, scope), caller.client, (onBegin) => {
      const read = (end: number) => {
        onBegin()
        return this.read(end, (ask) => this.answers.find(search, scope, ask), caller.signal)
      }
      return this.turns.run(read, { begun, ...caller })
    })
  }

  /** Computes the aggregations of a search in the background. `rest`: see Background. */
  private renewStatistics(search: Search, scope: Scope, rest: number): void {
    const renew = (end: number) => this.read(end, (ask) => this.answers.renewStatistics(search, scope, ask))
    this.background.start(rest, () => this.turns.run(renew, { deadline: this.renewed }))
  }

  /** Finds orders; undefined while they are read for the first time. Throws as `find` does. */
  findOrders(search: OrderSearch, chains: readonly number[], caller: Caller = {}): Promise<OrderPage | undefined> {
    const read = (end: number) => this.read(end, (ask) => runScript(findOrders(search, chains), ask), caller.signal)
    return this.turns.run(read, caller)
  }

  /** Refuses further searches, and waits for running ones. */
  close(): Promise<void> {
    return this.turns.close()
  }

  private async read<T>(end: number, work: (ask: Ask) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.db.snapshots.read(end, work, signal)
    } catch (error) {
      throw error instanceof SnapshotTimeout ? tooSlow() : error
    }
  }
}
