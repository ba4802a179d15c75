import type { IndexedAsset } from '../ddo/indexed.js'
import type { Address } from '../hex.js'
import type { Found, Scope, Search } from '../search/syntax.js'
import type { DeliveryStore, ProofStore } from './delivery-store.js'
import type { HostedStore } from './hosted-store.js'
import type { IndexStore } from './index-store.js'

export type {
  Breakdown,
  DeliveryRow,
  DeliveryStore,
  HostedPublisher,
  NewProof,
  OrderFee,
  Period,
  ProofStore,
  QueuedProof,
  Totals,
  TotalsRequest,
} from './delivery-store.js'
export type { HostedMove, HostedRow, HostedStore, HostedTotals, HostedUse, NewHostedFile } from './hosted-store.js'
export type {
  Cursor,
  EmitterKind,
  Generations,
  IndexBatch,
  IndexChange,
  IndexGeneration,
  IndexRole,
  IndexStore,
} from './index-store.js'

/**
 * All durable state: nonces, revoked tokens, the on-chain index, queued proofs and deliveries, in one database. Every
 * method is durable when its promise resolves, and atomic unless it says otherwise. If the database fails, it rejects with
 * StateError, and nothing was written. Addresses are checksummed.
 */
export interface StateStore {
  readonly nonces: NonceStore
  readonly revocations: RevocationStore
  readonly index: IndexStore
  readonly proofs: ProofStore
  readonly usage: UsageStore
  readonly deliveries: DeliveryStore
  readonly milestones: MilestoneStore
  readonly cutOver: CutOverStore
  readonly identity: IdentityStore
  readonly search: SearchStore
  readonly hosted: HostedStore
  /** Returns the fault of the database, if any. Reads from it, and after a failure probes it with a write. */
  checkHealth(how?: HealthCheckOptions): Promise<DatabaseFault | undefined>
  /** Time of this instance's last successful write, in milliseconds since 1970; undefined before the first one. */
  lastWrite(): number | undefined
  close(): Promise<void>
}

/** Full-text search in the documents of the index. */
export interface SearchStore {
  /**
   * Finds documents, all from one snapshot. Rejects with SearchError if it times out or is unavailable, and with
   * ValidationError for a search that is too expensive.
   */
  find(search: Search, scope: Scope): Promise<Found>
  /** Reads assets of hits that `find` has not read, as they are now. */
  assets(dids: string[]): Promise<Map<string, IndexedAsset>>
  /** Reads the document of an asset that was read without (`unread`); undefined if it was changed since. */
  document(asset: IndexedAsset): Promise<string | undefined>
  /** Builds the search rows of some documents that lack them, or have those of an earlier version. Returns false if there are none left. */
  buildSome(): Promise<boolean>
  /**
   * Merges some of what changes have added to the full-text index with what was there: every search reads all of its parts.
   * Returns false if there is nothing left to merge now, as always in a database that has no parts.
   */
  mergeSome(): Promise<boolean>
}

/** Kinds of database failures. */
export type FaultKind =
  | 'full'
  | 'corrupt'
  | 'locked'
  | 'gone'
  | 'readonly'
  | 'disk'
  | 'refused'
  | 'unreachable'
  | 'failed'

export interface DatabaseFault {
  kind: FaultKind
  /** The database's error code, or else the name of the error. Never its message, which may quote anything. */
  code: string
}

/** Options of a health check. */
export interface HealthCheckOptions {
  /** Always probes with a write, and reads an embedded database completely, which may take seconds. */
  thorough?: boolean
}

/** The identity of the state in a database. */
export interface Identity {
  id: string
  /** Other states that were moved into this one, or abandoned in its favour. */
  contains: string[]
  /** The state that this one was moved to. This one must not be used any more. */
  successor?: string
  /** The state that is being copied into this one. This one must not be used until that is complete. */
  copying?: string
}

/** Every state has a unique id, which distinguishes the current database from outdated ones. */
export interface IdentityStore {
  get(): Promise<Identity>
  /** Whether it holds nothing durable but the index. */
  isEmpty(): Promise<boolean>
  /** Records that other states were moved into this one, or abandoned. Clears `successor`. */
  contain(ids: string[]): Promise<void>
  /** Records that this state was moved to another one. */
  retire(successor: string): Promise<void>
  /** Continues a state that had been moved elsewhere, as a separate state with a new id. */
  fork(): Promise<void>
}

/**
 * The last nonces of accounts, and of contract wallets. The latter are stored per chain (`chainId`), since an address
 * may have another owner on each. The nonce of an account, which earlier versions stored for wallets as well, is a
 * lower bound for its wallets, so that no nonce decreases.
 */
export interface NonceStore {
  /** Returns the sort key of the last nonce consumed for this address, if any; without a chain, the greatest of all. */
  last(address: Address, chainId?: number): Promise<string | undefined>
  /**
   * Whether a nonce may be above the last one of this address. False is definitive; true must be confirmed by
   * `consume`. Queries the database only for addresses that are not cached.
   */
  mayPass(address: Address, sortKey: string, chainId?: number): Promise<boolean>
  /**
   * Atomic check and update: returns true and stores the key if and only if it is greater (bytewise, as text) than the
   * last one of this address.
   */
  consume(address: Address, sortKey: string, chainId?: number): Promise<boolean>
}

export interface RevocationStore {
  /** Revokes a token id; expiresAt in seconds since 1970. Returns false where it was revoked already. */
  revoke(jti: string, expiresAt: number): Promise<boolean>
  isRevoked(jti: string): Promise<boolean>
  /** Deletes the revocations of tokens that expired before `now` (seconds since 1970). */
  purge(now: number): Promise<void>
}

/** The usage within a time window, and the milliseconds until that ends. */
export interface Usage {
  used: number
  endsIn: number
}

/** Usage counters over fixed time windows. Times are in milliseconds. */
export interface UsageStore {
  /** Adds to a counter, which is reset first if its window has ended. */
  add(id: string, amount: number, window: number, now: number): Promise<Usage>
  used(id: string, window: number, now: number): Promise<Usage>
}

/** An upgrade of the database from which a new rule applies. */
export type Milestone = 'quotes end'

/** The times of milestones, recorded when the database was created or migrated. */
export interface MilestoneStore {
  /** Returns the time of a milestone in seconds since 1970. */
  get(moment: Milestone): Promise<number>
  /** Records a name with a time, unless it is there. */
  recordFirst(name: string, at: number): Promise<void>
  /** The same, where a later time replaces the one that is there. */
  recordLast(name: string, at: number): Promise<void>
  /** Returns what was recorded with names of this beginning, which is cut off. */
  recorded(beginning: string): Promise<{ name: string; at: number }[]>
}

/**
 * The time at which this service took over from another one, whose requests must not be accepted again; in milliseconds
 * since 1970.
 */
export interface CutOverStore {
  /** Undefined if it took over from none. */
  get(): Promise<number | undefined>
  /** Raises it; never lowers it. */
  raise(at: number): Promise<void>
}
