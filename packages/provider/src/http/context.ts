import type {
  AssetIndex,
  AssetResolver,
  CatchingUp,
  DocumentReader,
  IndexProgress,
  OnChainReader,
} from '@tidegate/catalog'
import type { Chains, ClockWatch, FactoryWatch, Receipts } from '@tidegate/chain'
import type { LocalOnly, TickBatch } from '@tidegate/common'
import type { Hosting } from '@tidegate/hosting'
import type { PublishedDescriptions, StorageRegistry } from '@tidegate/storage'
import type { AccessLists } from '../access/access-lists.js'
import type { FileLists } from '../access/file-lists.js'
import type { Purgatory } from '../access/purgatory.js'
import type { AccessControl } from '../access/rbac.js'
import type { CutOver } from '../auth/cut-over.js'
import type { Links } from '../auth/links.js'
import type { SignatureMatcher } from '../auth/signature.js'
import type { Tokens } from '../auth/tokens.js'
import type { Settings } from '../config/schema.js'
import type { Console } from '../console/console.js'
import type { DeliveryLedger } from '../deliveries/ledger.js'
import type { DeliveryQueue } from '../deliveries/queue.js'
import type { Metrics } from '../metrics/metrics.js'
import type { OrderTransactions } from '../orders/transactions.js'
import type { StateStore } from '../state/stores.js'
import type { TaskSandbox } from '../tasks/task-sandbox.js'
import type { AnonymousBudget } from './limits/anonymous.js'
import type { ByteBudgets } from './limits/byte-budgets.js'
import type { ConsumerLimits } from './limits/consumer-limits.js'
import type { UploadSlots } from './limits/upload-slots.js'

/** The services that endpoints depend on. */
export interface Context {
  settings: Settings
  /** Batches statements and responses within a tick of the event loop. */
  batch: TickBatch
  chains: Chains
  /** Which chains have no factory at its address. */
  factories: Pick<FactoryWatch, 'isMissing'>
  /** What the heads of the chains tell of the clock of this machine. */
  clock: Pick<ClockWatch, 'offset' | 'isWrong' | 'isWrongOn' | 'assertQuotable'>
  store: StateStore
  tokens: Tokens
  /** Download links. */
  links: Links
  signatures: SignatureMatcher
  cutOver: CutOver
  assets: AssetResolver
  /** Assets of the index, with a fallback to the chain while it is not current. */
  indexed: AssetIndex
  onChain: OnChainReader
  documents: DocumentReader
  sandbox: TaskSandbox
  receipts: Receipts
  orders: OrderTransactions
  /** Index progress of each chain. */
  progress: () => IndexProgress[]
  catchingUp: CatchingUp
  storages: StorageRegistry
  fileLists: FileLists
  /** Undefined if HOSTING is off. */
  hosting: Hosting | undefined
  /** Undefined if CONSOLE is off. */
  console: Console | undefined
  /** Undefined if pages of any origin may call the service. */
  localOnly: LocalOnly | undefined
  descriptions: PublishedDescriptions
  anonymous: AnonymousBudget
  /** Undefined if RATE_LIMIT_BYTES is not set. */
  bytes: ByteBudgets | undefined
  consumerLimits: ConsumerLimits
  uploadSlots: UploadSlots
  accessControl: AccessControl
  accessLists: AccessLists
  deliveries: DeliveryQueue
  ledger: DeliveryLedger
  metrics: Metrics
  purgatory: Purgatory
}
