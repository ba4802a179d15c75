import { cachedSource } from '../assets/cached-source.js'
import type { DocumentReader } from '../assets/documents.js'
import { type AssetIndex, currentAssets } from '../assets/index/current.js'
import { isCurrent } from '../assets/index/freshness.js'
import type { IndexProgress } from '../assets/index/progress.js'
import { indexSource } from '../assets/index/source.js'
import { remoteCacheSource } from '../assets/remote-cache.js'
import { AssetResolver } from '../assets/resolver.js'
import type { Chains } from '../chain/chains.js'
import type { Settings } from '../config/schema.js'
import type { Outbound } from '../outbound/outbound.js'
import type { Logger } from '../process/logger.js'
import type { StateStore } from '../state/store.js'

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
