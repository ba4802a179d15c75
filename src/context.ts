import type { Purgatory } from './access/purgatory.js'
import type { AccessControl } from './access/rbac.js'
import type { DocumentReader } from './assets/documents.js'
import type { FactsReader } from './assets/facts.js'
import type { AssetIndex } from './assets/index/current.js'
import type { IndexProgress } from './assets/index/follower.js'
import type { AssetResolver } from './assets/resolver.js'
import type { Tokens } from './auth/tokens.js'
import type { Chains } from './chain/chains.js'
import type { Receipts } from './chain/receipts.js'
import type { Settings } from './config/schema.js'
import type { DeliveryQueue } from './deliveries/queue.js'
import type { AnonymousBudget } from './http/anonymous.js'
import type { ByteBudgets } from './http/byte-budgets.js'
import type { Metrics } from './metrics/metrics.js'
import type { OrderTransactions } from './orders/transactions.js'
import type { Sandbox } from './sandbox/sandbox.js'
import type { StateStore } from './state/store.js'
import type { PublishedDescriptions } from './storage/describing.js'
import type { StorageRegistry } from './storage/registry.js'

/** Everything that endpoints work with. */
export interface Context {
  settings: Settings
  chains: Chains
  store: StateStore
  tokens: Tokens
  assets: AssetResolver
  /** The assets of the index, as they are now. */
  indexed: AssetIndex
  facts: FactsReader
  documents: DocumentReader
  sandbox: Sandbox
  receipts: Receipts
  orders: OrderTransactions
  /** How far the index of each chain has come. */
  progress: () => IndexProgress[]
  storages: StorageRegistry
  descriptions: PublishedDescriptions
  anonymous: AnonymousBudget
  /** Undefined where the bytes of an address are not limited. */
  bytes: ByteBudgets | undefined
  accessControl: AccessControl
  deliveries: DeliveryQueue
  metrics: Metrics
  purgatory: Purgatory
}
