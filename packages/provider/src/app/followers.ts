import { ChainFollower, type FollowerOptions } from '@tidegate/catalog'
import type { KeyAudit } from '../access/key-audit.js'
import type { Settings } from '../config/schema.js'
import type { OrderTransactions } from '../orders/transactions.js'
import { hasRoomForIndex } from '../process/disk.js'
import type { Base } from './base.js'
import type { OpenedCatalog } from './catalog.js'

/** Receivers of index changes. */
interface Listeners {
  assets: Pick<OpenedCatalog, 'invalidate'>
  keyAudit: KeyAudit
  orders: OrderTransactions
}

/** Creates the follower of each chain. None is started. */
export function createFollowers(
  settings: Settings,
  { chains, documents, metrics, store, log }: Base,
  { assets, keyAudit, orders }: Listeners,
): ChainFollower[] {
  const options: FollowerOptions = {
    blockRange: settings.INDEX_BLOCK_RANGE,
    concurrency: settings.INDEX_CONCURRENCY,
    pollInterval: settings.INDEX_POLL_INTERVAL,
    documents,
    reorgDepth: settings.INDEX_REORG_DEPTH,
    onChanged: (chainId: number) => {
      assets.invalidate(chainId)
      keyAudit.changed(chainId)
    },
    onRollback: (chainId: number, block: number) => orders.evictAfter(chainId, block),
    onSkipped: (chain: number) => metrics.skippedEvents.inc({ chain }),
    onCorrected: metrics.onCorrected,
    hasRoom: () => hasRoomForIndex(settings),
  }
  return [...chains.values()].map((chain) => new ChainFollower(chain, store.index, options, log))
}
