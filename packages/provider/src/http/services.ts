import type {
  AssetIndex,
  CatchingUp,
  DocumentReader,
  IndexProgress,
  IndexStore,
  LongDocuments,
  OnChainReader,
  Publishers,
} from '@tidegate/catalog'
import type { Chains, Receipts } from '@tidegate/chain'
import type { Hosting } from '@tidegate/hosting'
import type { PurchaseDesk } from '@tidegate/purchases'
import type { PublishedDescriptions, StorageRegistry } from '@tidegate/storage'
import type { Address } from 'viem'
import type { Access } from '../access/access.js'
import type { Auth } from '../auth/auth.js'
import type { Settings } from '../config/schema.js'
import type { Metrics } from '../metrics/metrics.js'
import type { Health } from '../process/health.js'
import type { StateStore } from '../state/stores.js'
import type { Downloads } from './files/downloads.js'
import type { AnonymousBudget } from './limits/anonymous.js'
import type { UploadSlots } from './limits/upload-slots.js'

/** The services of the endpoints. Each endpoint names those that it needs. */
export interface Services {
  settings: Settings
  chains: Chains
  auth: Auth
  access: Access
  catalog: Catalog
  files: Files
  anonymous: AnonymousBudget
  downloads: Downloads
  uploads: Uploads
  /** Undefined if PURCHASES is off. */
  purchases: PurchaseDesk | undefined
  health: Health
}

/** Published assets and their documents. */
export interface Catalog {
  /** Assets of the index. Falls back to the chain while the index is not current. */
  indexed: AssetIndex
  /** The hidden assets of owners. */
  hidden: Pick<IndexStore, 'hiddenOf'>
  /** Undefined: assets of everybody are served. */
  publishers: Publishers | undefined
  onChain: OnChainReader
  documents: DocumentReader
  /** Reads the long documents of hits, for all searches together. */
  long: LongDocuments
  search: Pick<StateStore['search'], 'find' | 'findOrders' | 'assets' | 'document'>
  /** Index progress of each chain. */
  progress(): IndexProgress[]
  catchingUp: CatchingUp
  /** Returns the first owner of a data NFT in the index; undefined if it is unknown. */
  publisherOf(chainId: number, nft: Address): Promise<Address | undefined>
  receipts: Receipts
}

/** Storage kinds, and cached descriptions of published files. */
export interface Files {
  storages: StorageRegistry
  descriptions: PublishedDescriptions
}

export interface Uploads {
  /** Undefined if HOSTING is off. */
  hosting: Hosting | undefined
  slots: UploadSlots
  metrics: Pick<Metrics, 'uploadsActive'>
}
