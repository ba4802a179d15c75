import {
  AssetResolver,
  CatchingUp,
  cachedSource,
  currentAssets,
  type IndexProgress,
  indexOfPublishers,
  indexSource,
  isCurrent,
  LongDocuments,
  OnChainReader,
  remoteCacheSource,
  TokenNames,
} from '@tidegate/catalog'
import { Receipts } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { ListMembers } from '../access/rules/list-members.js'
import type { Settings } from '../config/schema.js'
import type { Catalog } from '../http/services.js'
import type { Base } from './base.js'

export interface OpenedCatalog {
  catalog: Catalog
  /** Assets of the index, with the metadata caches as fallback. */
  assets: AssetResolver
  /** Whether the index of a chain is current. */
  isCurrent(chainId: number): boolean
  /** Evicts the cached assets of a chain whose index has changed. */
  invalidate(chainId: number): void
  /** Members of AUTHORIZED_PUBLISHERS_LIST. */
  members: ListMembers
}

/** Builds the sources of assets. `progress`: index progress of each chain. */
export function openCatalog(
  settings: Settings,
  { store, chains, documents, outbound, log }: Base,
  progress: () => IndexProgress[],
): OpenedCatalog {
  const { MAX_DDO_SIZE: maxDocument, INDEX_POLL_INTERVAL: ttl } = settings
  const { index, search } = store
  const isChainCurrent = (chainId: number) =>
    progress().some((chain) => chain.chainId === chainId && isCurrent(chain, settings))
  const current = currentAssets({
    index,
    chains,
    documents,
    isCurrent: isChainCurrent,
    isAstray: (chainId) => progress().some((chain) => chain.chainId === chainId && chain.astray),
    ttl,
    // two nodes may time out
    deadline: 2 * settings.RPC_TIMEOUT,
  })
  const { AUTHORIZED_PUBLISHERS: addresses, AUTHORIZED_PUBLISHERS_LIST: lists } = settings
  const members = new ListMembers(chains, lists?.byChain ?? new Map(), {
    interval: ttl,
    onChanged: (chainId) => cached.invalidate(chainId),
    log,
  })
  const publishers = addresses || lists ? { addresses: addresses ?? [], members: members.of.bind(members) } : undefined
  const indexed = indexOfPublishers(current, publishers)
  const cached = cachedSource(indexSource(indexed, documents), {
    ttl,
    chains: [...chains.keys()],
    isCurrent: isChainCurrent,
  })
  const remote = { chains, outbound, log, documents, maxDocument, ttl }
  const caches = (settings.METADATA_CACHE_URL ?? []).map((url) => remoteCacheSource({ ...remote, url }))
  const names = new TokenNames(chains, index, COMMON_LIMITS.contract.namelessFor)
  return {
    catalog: {
      ...{ indexed, publishers, documents, search, progress, hidden: index },
      long: new LongDocuments((asset) => search.document(asset), documents),
      onChain: new OnChainReader(chains, ttl, names),
      catchingUp: new CatchingUp(progress),
      receipts: new Receipts(settings.ORDER_WAIT, settings.INDEX_REORG_DEPTH),
      publisherOf: async (chainId, nft) => (await index.nft(chainId, nft))?.owner,
    },
    assets: new AssetResolver([cached, ...caches], chains),
    isCurrent: isChainCurrent,
    invalidate: (chainId) => cached.invalidate(chainId),
    members,
  }
}
