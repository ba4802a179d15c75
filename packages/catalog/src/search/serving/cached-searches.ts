import { type Ask, type Dialect, runScript } from '@tidegate/database'
import { charactersOf, type IndexedAsset } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../../limits.js'
import { find, type KnownAssets, type ResultOfState, stateIn, stateQuery } from '../answer/find.js'
import type { Scope, Search, SearchResult } from '../syntax.js'
import { LastStatistics, purgatoryKey, type Statistics } from './statistics.js'

const { kept, keptAssets } = CATALOG_LIMITS.search
const { resultSize } = CATALOG_LIMITS.index

/**
 * Searches a database and caches results until the index changes. Every search reads the state of the index first, so that it never
 * misses a committed change.
 */
export class CachedSearches {
  /** The index state of `results`. */
  private state: string | null = null
  private readonly results = new LRUCache<string, SearchResult>({ maxSize: kept })
  /** Assets of hits in one state, since the same assets are on many pages. */
  private assets: { state: string | null; known: KnownAssets } = { state: null, known: assetCache() }
  /** Running searches by key, and waiting ones by client and key. They never reject. */
  private readonly inFlight = new Map<string, Promise<unknown>>()
  /** The running statement that reads the state. */
  private running: Promise<unknown> = Promise.resolve()
  /** The next such statement. */
  private next: Promise<string | null> | undefined

  /** `read` runs a statement outside a snapshot. */
  constructor(
    private readonly dialect: Dialect,
    private readonly read: Ask,
    private readonly statistics = new LastStatistics(),
  ) {}

  /** Returns the last aggregations of a search with many hits, if it has been computed lately. */
  lastStatistics(search: Search, scope: Scope): Statistics | undefined {
    return this.statistics.of(search, scope)
  }

  /** Whether the last aggregations of a search should be computed anew, by the state of the last search. */
  areStatisticsDue(last: Statistics): boolean {
    return this.statistics.isDue(last, this.state)
  }

  /**
   * Returns the cached result of a key (see `resultKey`) if the index has not changed, else the result of `search`. Coalesces identical
   * searches: the others wait for the first one, then read the state again. While that waits for its turn, only those of its client do:
   * nobody waits in the queue of another. `search` calls back when it begins, not at once.
   */
  async cachedOr(
    key: string,
    client: string | undefined,
    search: (onBegin: () => void) => Promise<SearchResult>,
  ): Promise<SearchResult> {
    const cached = await this.cached(key)
    if (cached) return cached
    const ofClient = `${client ?? ''} ${key}`
    const same = this.inFlight.get(key) ?? this.inFlight.get(ofClient)
    if (same) {
      await same
      const found = await this.cached(key)
      if (found) return found
    }
    const found = search(() => this.inFlight.set(key, ended))
    const ended = found
      .catch(() => undefined)
      .then(() => {
        for (const one of [key, ofClient]) if (this.inFlight.get(one) === ended) this.inFlight.delete(one)
      })
    this.inFlight.set(ofClient, ended)
    return found
  }

  /** Returns the cached result of a key if the index has not changed. */
  private async cached(key: string): Promise<SearchResult | undefined> {
    if (!this.results.has(key)) return undefined
    const state = await this.currentState()
    return state === this.state ? this.results.get(key) : undefined
  }

  /** Reads the state by a statement that begins after this call. Calls during a running statement share the next one. */
  private currentState(): Promise<string | null> {
    this.next ??= this.running.then(() => {
      this.next = undefined
      const state = this.read(stateQuery(this.dialect)).then(stateIn)
      this.running = state.catch(() => undefined)
      return state
    })
    return this.next
  }

  /** Finds documents by statements of one snapshot. Throws ValidationError if it is too expensive, and errors of statements. */
  async find(search: Search, scope: Scope, ask: Ask): Promise<SearchResult> {
    const begun = performance.now()
    const answer = await runScript(
      find(search, scope, this.dialect, (state) => this.assetsIn(state)),
      ask,
    )
    if (answer.found.building) return answer.found
    this.store(resultKey(search, scope), answer)
    this.statistics.keep(search, scope, answer.state, answer.found, begun)
    return answer.found
  }

  /** Computes the aggregations of a search anew, and nothing else: its snapshot may be older than that of the last search. */
  async renewStatistics(search: Search, scope: Scope, ask: Ask): Promise<void> {
    const begun = performance.now()
    const { state, found } = await runScript(
      find({ ...search, from: 0, size: 0, sort: [], source: undefined }, scope, this.dialect),
      ask,
    )
    if (!found.building) this.statistics.keep(search, scope, state, found, begun)
  }

  /** Returns the assets of a state. A search of an older snapshot may still fill the previous ones. */
  private assetsIn(state: string | null): KnownAssets {
    if (state !== this.assets.state) this.assets = { state, known: assetCache() }
    return this.assets.known
  }

  /** Caches a result. Drops results of another state. */
  private store(key: string, { state, found }: ResultOfState): void {
    if (state !== this.state) this.results.clear()
    this.state = state
    this.results.set(key, found, { size: key.length + sizeOf(found) })
  }
}

/** Returns the cache key of a search. It ignores the source filter, since documents are read as a whole. */
export function resultKey({ source, ...search }: Search, scope: Scope): string {
  return JSON.stringify([
    search,
    source !== undefined,
    scope.chains,
    scope.encrypted,
    purgatoryKey(search.query, scope),
  ])
}

function assetCache(): KnownAssets {
  return new LRUCache({
    maxSize: keptAssets,
    sizeCalculation: (asset: IndexedAsset) => resultSize + charactersOf(asset),
  })
}

/** Upper bound of the memory of a result, in characters. */
function sizeOf({ hits, assets, aggregations }: SearchResult): number {
  let size = resultSize * (1 + hits.length) + JSON.stringify(aggregations).length
  for (const asset of assets.values()) size += charactersOf(asset)
  return size
}
