import {
  type Caller,
  type FrontEndSearch,
  type Hit,
  type HitSources,
  hitsOf,
  isCurrent,
  isOfPublishers,
  lastPageOf,
  readOrderSearch,
  type Scope,
  type Search,
  type SearchResult,
  searchOfPublishers,
} from '@tidegate/catalog'
import { ChainError, type IndexedAsset, isConsumable } from '@tidegate/protocol'
import { isReadingRestricted } from '../endpoints/decrypters.js'
import type { SearchCaller } from '../limits/anonymous.js'
import type { Services } from '../services.js'

/** Errors of searches. */
export const SEARCH_ERRORS = ['SEARCH_UNAVAILABLE', 'CHAIN_UNAVAILABLE'] as const

/** A search, and the version of documents whose reader wants its own form; see `readFrontEndSearch`. */
export type Asked = { search: Search; version?: FrontEndSearch['version'] }

export interface Answered extends Pick<Asked, 'version'> {
  found: SearchResult
  hits: AsyncIterable<Hit>
  /** Milliseconds until the hits were known. */
  took: number
  /** The chains as shards; those with a stale index count as failed. */
  shards: { total: number; successful: number; skipped: 0; failed: number }
  wantsAggregations: boolean
}

export type SearchServices = Pick<Services, 'settings' | 'access' | 'catalog' | 'anonymous'>

/** Returns the chains with a current index and known publishers. Throws ChainError if there is none. */
function currentChains(catalog: SearchServices['catalog'], settings: SearchServices['settings']) {
  const progress = catalog.progress()
  const { publishers } = catalog
  const chains = progress
    .filter((one) => isCurrent(one, settings) && (!publishers || publishers.members(one.chainId)))
    .map(({ chainId }) => chainId)
  if (chains.length === 0) throw new ChainError('CHAIN_UNAVAILABLE', 'The index is not up to date. Try again later.')
  return { progress, chains }
}

/** Creates the search of orders. It returns undefined for a search of documents, and throws as `searcher` does. */
export function orderSearcher({ settings, catalog }: SearchServices) {
  const form = settings.ORDERS_FORM
  return (body: unknown, caller: Caller): Promise<AsyncGenerator<string>> | undefined => {
    const search = readOrderSearch(body, form)
    if (!search) return undefined
    const { chains } = currentChains(catalog, settings)
    return catalog.search.findOrders(search, chains, caller).then(async function* ({
      orders,
      total,
    }): AsyncGenerator<string> {
      if (form === 'market' && orders.length === 0) return yield '[]'
      yield form === 'market' ? '[[' : '[{"results":['
      for (const [at, order] of orders.entries()) yield (at === 0 ? '' : ',') + JSON.stringify(order)
      yield form === 'market' ? ']]' : `],"totalResults":${total}}]`
    })
  }
}

/** Creates the search of chains with a current index. It throws ChainError if there is none, and SearchError. */
export function searcher(
  { settings, access, catalog }: SearchServices,
  facts: HitSources['facts'] = (asset) => catalog.onChain.of(asset),
) {
  const { long, search: index, publishers } = catalog
  const { purgatory } = access
  return async ({ search: asked, ...form }: Asked, caller: SearchCaller): Promise<Omit<Answered, 'took'>> => {
    const { progress, chains } = currentChains(catalog, settings)
    const scope = { chains, encrypted: !isReadingRestricted(settings), purgatory: purgatory.dids() }
    const search = searchOfPublishers(asked, publishers, chains)
    let found = await index.find(search, scope, caller)
    // readers of version 5 ask for a page behind the last one, and mean the last
    const last = form.version === 5 ? lastPageOf(search, found.total?.value ?? 0) : undefined
    if (last) found = await index.find(last, scope, caller)
    const hits = hitsOf(found, search.source, {
      facts,
      purgatory: (did) => purgatory.reasonFor(did),
      assets: async (dids) => findable(await index.assets(dids), scope, publishers),
      long,
      signal: caller.signal,
    })
    const [total, successful] = [progress.length, chains.length]
    const shards = { total, successful, skipped: 0, failed: total - successful } as const
    return { found, hits, shards, wantsAggregations: Object.keys(search.aggregations).length > 0, ...form }
  }
}

/** Returns those of some assets that a search may still find: they may have changed since. */
function findable(
  assets: Map<string, IndexedAsset>,
  { chains, encrypted }: Scope,
  publishers: SearchServices['catalog']['publishers'],
): Map<string, IndexedAsset> {
  const isFindable = ({ chainId, metadata }: IndexedAsset) =>
    chains.includes(chainId) && isConsumable(metadata.state) && (encrypted || !metadata.encrypted)
  return new Map([...assets].filter(([, asset]) => isFindable(asset) && isOfPublishers(asset, publishers)))
}
