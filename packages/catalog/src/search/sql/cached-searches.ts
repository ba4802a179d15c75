import { type Dialect, type Query, type Result, runScript } from '@tidegate/database'
import { charactersOf, type IndexedAsset } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import { CATALOG_LIMITS } from '../../limits.js'
import type { Scope, Search, SearchResult } from '../syntax.js'
import { find, type KnownAssets, type ResultOfState, type Seen, stateIn, stateQuery } from './find.js'

type Ask = (query: Query) => Promise<Result>

/** Upper bound of the memory of an answer or a hit without its texts, in characters. */
const BASE_SIZE = 1024

/**
 * CachedSearches searches of a database, and caches what was found until the index changes. Every search reads the state of the
 * index first, so that none misses a change that was committed before.
 */
export class CachedSearches {
  /** The state of the index that `results` is of. */
  private state: string | null = null
  private readonly results = new LRUCache<string, SearchResult>({ maxSize: CATALOG_LIMITS.search.kept })
  /** Assets of hits, and the state that they are of: the same are on many pages. */
  private assets: Seen = { state: null, known: keptAssets() }
  /** Searches that are under way, by their keys. They never reject. */
  private readonly inFlight = new Map<string, Promise<unknown>>()
  /** The statement that reads the state, once it runs, and the one after it. */
  private running: Promise<unknown> = Promise.resolve()
  private next: Promise<string | null> | undefined

  /** `read` runs a statement outside of a search. */
  constructor(
    private readonly dialect: Dialect,
    private readonly read: Ask,
  ) {}

  /**
   * What was found by a search before, if that is what it finds now; else what `search` finds. Identical concurrent
   * searches are coalesced: the others wait for the first one, and then read the state of the index again. For keys see `keyOf`.
   */
  async knownOr(key: string, search: () => Promise<SearchResult>): Promise<SearchResult> {
    const known = await this.known(key)
    if (known) return known
    const same = this.inFlight.get(key)
    if (same) {
      await same
      const found = await this.known(key)
      if (found) return found
    }
    const found = search()
    const ended = found
      .catch(() => undefined)
      .then(() => {
        if (this.inFlight.get(key) === ended) this.inFlight.delete(key)
      })
    this.inFlight.set(key, ended)
    return found
  }

  /** What was found by a search before, if that is what it finds now, which one statement tells. */
  private async known(key: string): Promise<SearchResult | undefined> {
    if (!this.results.has(key)) return undefined
    const state = await this.currentState()
    return state === this.state ? this.results.get(key) : undefined
  }

  /** The state by a statement that begins after this call. All calls during one such statement share the next. */
  private currentState(): Promise<string | null> {
    this.next ??= this.running.then(() => {
      this.next = undefined
      const state = this.read(stateQuery(this.dialect)).then(stateIn)
      this.running = state.catch(() => undefined)
      return state
    })
    return this.next
  }

  /**
   * Finds documents, by statements that all see the same. Throws ValidationError for what asks too much, and what the
   * statements throw.
   */
  async find(search: Search, scope: Scope, ask: Ask): Promise<SearchResult> {
    const answer = await runScript(
      find(search, scope, this.dialect, (state) => this.assetsIn(state), this.seen),
      ask,
    )
    if (!answer.isTransient) this.keep(keyOf(search, scope), answer)
    return answer.found
  }

  /** What the last search saw, for a database where each statement is a round trip. */
  private get seen(): Seen | undefined {
    return this.dialect === 'postgres' && this.assets.state !== null ? this.assets : undefined
  }

  /** Each state has assets of its own: a search of an older snapshot may still be under way. */
  private assetsIn(state: string | null): KnownAssets {
    if (state !== this.assets.state) this.assets = { state, known: keptAssets() }
    return this.assets.known
  }

  /** What was found in another state is of no use any more. */
  private keep(key: string, { state, found }: ResultOfState): void {
    if (state !== this.state) this.results.clear()
    this.state = state
    this.results.set(key, found, { size: key.length + sizeOf(found) })
  }
}

/** What decides, with the state of the index, what is found: whichever parts of documents are wanted, they are read whole. */
export function keyOf({ source, ...search }: Search, { chains, encrypted }: Scope): string {
  return JSON.stringify([search, source !== undefined, chains, encrypted])
}

function keptAssets(): KnownAssets {
  return new LRUCache({
    maxSize: CATALOG_LIMITS.search.keptAssets,
    sizeCalculation: (asset: IndexedAsset) => BASE_SIZE + charactersOf(asset),
  })
}

/** Upper bound of the memory of an answer, in characters. */
function sizeOf({ hits, assets, aggregations }: SearchResult): number {
  let size = BASE_SIZE * (1 + hits.length) + JSON.stringify(aggregations).length
  for (const asset of assets.values()) size += charactersOf(asset)
  return size
}
