import type { Dialect } from '@tidegate/database'
import type {
  Address,
  Hex,
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
  Offer,
} from '@tidegate/protocol'
import type { PreparedRows } from './index-consumer.js'

/** The position of the index on a chain: the last block with its hash, which shows reorganisations. */
export interface Cursor {
  block: number
  hash: Hex
  /** The applied beginning of a later block. Blocks in between have no events. */
  part?: BlockPart | undefined
}

/** The trusted events between two checkpoints, as they were read. */
export interface SeenEvents {
  /** Their number. */
  events: number
  /** Digest of their blocks, positions and content. */
  digest: string
}

/** A cursor that `rollback` accepts. Without SeenEvents its events are not compared with a second reading. */
export type Checkpoint = Omit<Cursor, 'part'> & { [K in keyof SeenEvents]: SeenEvents[K] | null }

/** The beginning of a block, up to one of its events. */
export interface BlockPart {
  block: number
  hash: Hex
  /** The log index of the last event. */
  log: number
}

/** The position and the parties of an order's event. */
interface OrderEvent {
  block: number
  /** The log index in its block. */
  log: number
  txId: Hex
  payer: Address
  /** Seconds since 1970. */
  timestamp: number
}

/** An order of a datatoken. */
export interface StartedOrder extends OrderEvent {
  consumer: Address
  /** Undefined if it is no number that fits: the contract takes any from the buyer. */
  serviceIndex: number | undefined
}

/** The reuse of an order, for the consumer of that order. */
export interface ReusedOrder extends OrderEvent {
  /** Transaction of the order. Untrusted: the contract takes any from the caller. */
  started: Hex
}

/** A new offer of a datatoken, and the position of its event, by which offers are listed. */
export interface CreatedOffer extends Offer {
  datatoken: Address
  block: number
  log: number
}

/** A change by an event. */
export type IndexChange =
  | { kind: 'nft'; nft: IndexedNft }
  | { kind: 'datatoken'; datatoken: IndexedDatatoken }
  /** `prepared`: the consumer's rows of the asset, if they were prepared. */
  | {
      kind: 'metadata'
      metadata: IndexedMetadata
      prepared?: PreparedRows | undefined
      services?: IndexedAsset['services']
    }
  | { kind: 'state'; nft: Address; state: number }
  | { kind: 'order'; datatoken: Address; order: StartedOrder }
  | { kind: 'reuse'; datatoken: Address; order: ReusedOrder }
  /** A datatoken of the index names an exchange or dispenser contract in a block. */
  | { kind: 'market'; market: Address; block: number }
  | { kind: 'offer'; offer: CreatedOffer }
  /** `offer`: the exchange's id, or the dispenser's datatoken. It may be unknown: anybody may create one. */
  | { kind: 'rate'; market: Address; offer: Hex; price: string }
  | { kind: 'activity'; market: Address; offer: Hex; isActive: boolean }
  /** The document or state of an NFT is unknown for this reason, so its asset is unavailable. */
  | { kind: 'unreadable'; nft: Address; reason: string }

/** Returns the characters of a change: its document and prepared rows. */
export function weightOf(change: IndexChange): number {
  if (change.kind !== 'metadata') return 0
  return (change.metadata.ddo?.length ?? 0) + (change.prepared?.rows?.length ?? 0)
}

/** Kinds of contracts whose events are indexed. A market is an exchange or dispenser contract. */
export type EmitterKind = 'nft' | 'datatoken' | 'market'

/** A writable generation: the live one serves requests, the next one will replace it. */
export type IndexRole = 'live' | 'next'

export interface IndexBatch {
  chainId: number
  from: Cursor | undefined
  to: Cursor
  changes: IndexChange[]
  /** Whether the batch may be rolled back: saves the previous rows. */
  provisional?: boolean | undefined
  /** The events since the last checkpoint, for a second reading. */
  seen?: SeenEvents | undefined
  /** Called with each unstorable change; others are applied. Without it, `commit` rejects with UnstorableError. */
  onUnstorable?: ((change: IndexChange) => void) | undefined
}

/** A generation of the index: all that was read of each chain, up to a cursor. */
export interface IndexGeneration {
  /** The dialect for prepared rows; undefined if none are used. */
  readonly dialect?: Dialect | undefined
  cursor(chainId: number): Promise<Cursor | undefined>
  /**
   * Applies all changes and moves the cursor from `from` to `to`, in one transaction. Returns false and changes nothing if the cursor is
   * not at `from`. If the batch is provisional, or ends inside a block, saves the previous rows for a rollback. Otherwise deletes the undo
   * rows and checkpoints of all earlier batches.
   */
  commit(step: IndexBatch): Promise<boolean>
  /** Returns the cursors that `rollback` accepts, newest first. The first is the current cursor, unless that has a part. */
  checkpoints(chainId: number): Promise<Checkpoint[]>
  /** Makes the blocks up to a checkpoint final: deletes the undo rows and checkpoints before it. */
  confirm(chainId: number, block: number): Promise<void>
  /**
   * Rolls back to a checkpoint: moves the cursor, then restores rows in several transactions. Meanwhile `commit` returns false. The same
   * call continues an interrupted rollback.
   */
  rollback(chainId: number, to: Cursor): Promise<void>
  /** Returns the indexed addresses among a few hundred, by a single statement. `upTo`: of markets, those named up to this block. */
  known(chainId: number, kind: EmitterKind, addresses: Address[], upTo?: number): Promise<Address[]>
  /** Returns at most `limit` indexed addresses after an address, in order. */
  emitters(chainId: number, kind: EmitterKind, after: Address | undefined, limit: number): Promise<Address[]>
}

/** An asset whose state takes it off sale. */
export interface HiddenAsset {
  chainId: number
  did: string
  state: number
  nft: Omit<IndexedNft, 'tokenUri'>
}

export interface Generations {
  /**
   * The one that serves requests. `undoing`: its rollback was interrupted. `isOutdated`: an earlier version wrote some of it, without
   * orders or offers.
   */
  live?: { id: number; cursor: Cursor; undoing?: true; isOutdated?: true }
  /** The one that will replace it; `wanted`: requested by the operator. */
  next?: { id: number; cursor?: Cursor; undoing?: true; isOutdated?: true; wanted: boolean }
  /** Whether rows of obsolete generations are left. */
  old: boolean
}

/** The index: the live generation of each chain, and the next ones. */
export interface IndexStore extends IndexGeneration {
  /** Tries to become the only instance on the database that follows a chain. */
  tryLead(chainId: number): Promise<boolean>
  /** Returns the chains with a live generation. */
  chains(): Promise<number[]>
  generations(chainId: number): Promise<Generations>
  /** The generations that will replace the live ones. */
  readonly next: IndexGeneration
  /** Starts the next generation of a chain and abandons a previous one. Does nothing without a live generation. */
  begin(chainId: number, wanted: boolean): Promise<void>
  /** Abandons the next generation of a chain. */
  abandon(chainId: number): Promise<void>
  /** Makes the next generation live, in one transaction. Returns false if it is not at this cursor. */
  promote(chainId: number, at: Cursor): Promise<boolean>
  /** Deletes a batch of rows of obsolete generations. Returns false if there are none. */
  sweep(chainId: number): Promise<boolean>
  nft(chainId: number, address: Address): Promise<IndexedNft | undefined>
  datatoken(chainId: number, address: Address): Promise<IndexedDatatoken | undefined>
  asset(did: string): Promise<IndexedAsset | undefined>
  /**
   * Returns the assets of an owner at creation that are neither active nor unlisted, the newest first. The owner has sent their newest
   * documents: anybody can deploy data NFTs for another owner.
   */
  hiddenOf(owner: Address, limit: number): Promise<HiddenAsset[]>
}
