import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../../limits.js'
import { asksPurgatory } from '../conditions/conditions.js'
import { hasAggregations, type Scope, type Search, type SearchResult } from '../syntax.js'

const LIMITS = CATALOG_LIMITS.search

/** The last aggregations of a search. */
export interface Statistics {
  aggregations: SearchResult['aggregations']
  state: string | null
  /** When they were computed, by performance.now(), and the milliseconds that this took. */
  at: number
  took: number
}

/** The last aggregations over many documents. They are shown after a change of the index until the next ones are computed. */
export class LastStatistics {
  private readonly kept: LRUCache<string, Statistics>

  /** `many`: hits from which the aggregations of a search are kept. */
  constructor(
    private readonly many: number = LIMITS.counted,
    private readonly limits: { age: number; rest: number } = LIMITS.statistics,
  ) {
    this.kept = new LRUCache({ maxSize: LIMITS.statistics.kept, ttl: limits.age })
  }

  of(search: Search, scope: Scope): Statistics | undefined {
    return hasAggregations(search) ? this.kept.get(statisticsKey(search, scope)) : undefined
  }

  /** Keeps the aggregations of a search that began at a time by performance.now(), if it has many hits. */
  keep(search: Search, scope: Scope, state: string | null, { total, aggregations }: SearchResult, begun: number): void {
    if (!hasAggregations(search) || total === undefined || total.value < this.many) return
    const at = performance.now()
    const [key, size] = [statisticsKey(search, scope), JSON.stringify(aggregations).length]
    this.kept.set(key, { aggregations, state, at, took: at - begun }, { size: key.length + size })
  }

  /** Whether aggregations are of another state, and old enough to compute them anew. */
  isDue(last: Statistics, state: string | null): boolean {
    return last.state !== state && performance.now() - last.at >= this.limits.rest * last.took
  }
}

/** Returns the key of the aggregations of a search, which are those of all of its pages. */
function statisticsKey({ query, aggregations, aggregateUpTo }: Search, scope: Scope): string {
  return JSON.stringify([query, aggregations, aggregateUpTo, scope.chains, scope.encrypted, purgatoryKey(query, scope)])
}

/** Returns the part of a cache key for the list of purgatory: empty if the query does not depend on it. */
export function purgatoryKey(query: Search['query'], { purgatory }: Scope): string {
  return asksPurgatory(query) ? hash('sha256', purgatory.join(' '), 'base64') : ''
}
