import {
  type AssetIndex,
  AssetResolver,
  cachedSource,
  currentAssets,
  type DocumentReader,
  type IndexProgress,
  indexSource,
  isCurrent,
  remoteCacheSource,
} from '@tidegate/catalog'
import type { Chains } from '@tidegate/chain'
import type { Logger, Outbound } from '@tidegate/common'
import type { Settings } from '../config/schema.js'
import type { StateStore } from '../state/stores.js'

interface Sources {
  store: StateStore
  chains: Chains
  documents: DocumentReader
  outbound: Outbound
  log: Logger
  /** Index progress of each chain. */
  progress: () => IndexProgress[]
}

interface Assets {
  /** Assets of the index, with a fallback to the chain while it is not current. */
  indexed: AssetIndex
  /** Those, and behind them the metadata caches of the settings. */
  resolver: AssetResolver
  /** Whether the index of a chain is current. */
  isCurrent(chainId: number): boolean
  /** Evicts the cached assets of a chain, whose index has changed. */
  invalidate(chainId: number): void
}

/** Builds the sources of assets. */
export function openAssets(settings: Settings, { store, chains, documents, outbound, log, progress }: Sources): Assets {
  const { MAX_DDO_SIZE: maxDocument, INDEX_POLL_INTERVAL: ttl } = settings
  const isChainCurrent = (chainId: number) =>
    progress().some((chain) => chain.chainId === chainId && isCurrent(chain, settings))
  const indexed = currentAssets({
    index: store.index,
    chains,
    documents,
    isCurrent: isChainCurrent,
    isAstray: (chainId) => progress().some((chain) => chain.chainId === chainId && chain.astray),
    ttl,
    // the time-out of one node, and of a second one if the first fails
    deadline: 2 * settings.RPC_TIMEOUT,
  })
  const cached = cachedSource(indexSource(indexed, documents), {
    ttl,
    chains: [...chains.keys()],
    isCurrent: isChainCurrent,
  })
  const remote = { chains, outbound, log, documents, maxDocument, ttl }
  const caches = (settings.METADATA_CACHE_URL ?? []).map((url) => remoteCacheSource({ ...remote, url }))
  return {
    indexed,
    resolver: new AssetResolver([cached, ...caches], chains),
    isCurrent: isChainCurrent,
    invalidate: (chainId) => cached.invalidate(chainId),
  }
}
