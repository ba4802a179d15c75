import type { Address, Hex } from 'viem'

/**
 * Everything that must survive: nonces, revoked tokens, the on-chain index and proofs to be sent, in one database.
 * Every method is atomic and durable when its promise resolves; when the database cannot answer it rejects with
 * StateError, and nothing was accepted. Addresses are checksummed.
 */
export interface StateStore {
  readonly nonces: NonceStore
  readonly revocations: RevocationStore
  readonly index: IndexStore
  readonly proofs: ProofStore
  readonly usage: UsageStore
  close(): Promise<void>
}

export interface NonceStore {
  /** The sort key of the last nonce consumed for this address, if there was one. */
  last(address: Address): Promise<string | undefined>
  /**
   * Whether a nonce may still be above the last one of this address: false is final, true is what `consume` says. It
   * asks the database only for addresses that this instance has not seen lately.
   */
  mayPass(address: Address, sortKey: string): Promise<boolean>
  /**
   * One atomic check and update: true, and the key is stored, exactly when it is greater (as text, byte by byte)
   * than the last one of this address.
   */
  consume(address: Address, sortKey: string): Promise<boolean>
}

export interface RevocationStore {
  /** Marks a token id as deleted; expiresAt in seconds since 1970. False when it already was. */
  revoke(jti: string, expiresAt: number): Promise<boolean>
  isRevoked(jti: string): Promise<boolean>
  /** Forgets revocations of tokens that expired before `now` (seconds since 1970). */
  purge(now: number): Promise<void>
}

/** How much was used in a window of time, and in how many milliseconds that ends. */
export interface Usage {
  used: number
  endsIn: number
}

/** Counters over windows of time. Times are in milliseconds. */
export interface UsageStore {
  /** Adds to a counter, which begins anew where its window is over. */
  add(id: string, amount: number, window: number, now: number): Promise<Usage>
  used(id: string, window: number, now: number): Promise<Usage>
}

/** A proof of delivery that waits to be sent. */
export interface QueuedProof {
  id: string
  kind: 'http' | 'chain'
  /** JSON. */
  body: string
  /** How often it was taken up, this time included. */
  attempts: number
  /** The transaction that was sent for it. */
  txId: Hex | null
}

/** Proofs that wait to be sent. Times are in milliseconds since 1970. */
export interface ProofStore {
  add(id: string, kind: QueuedProof['kind'], body: string, now: number): Promise<void>
  /** Takes up what is due, so that nobody else does before `until`. */
  claim(now: number, until: number, limit: number): Promise<QueuedProof[]>
  noteTransaction(id: string, txId: Hex): Promise<void>
  done(id: string): Promise<void>
  /** Makes it due at a time; null keeps it without ever being due. */
  retry(id: string, at: number | null): Promise<void>
  /** How many there are. */
  waiting(): Promise<number>
}

/** How far the index has read a chain: the last block, and its hash to notice a reorganisation. */
export interface Cursor {
  block: number
  hash: Hex
}

export interface IndexedNft {
  address: Address
  name: string
  symbol: string
  /** Token URI and owner as the NFT was created with them. */
  tokenUri: string
  owner: Address
  /** ISO 8601 time of the block that deployed it. */
  created: string
}

export interface IndexedDatatoken {
  address: Address
  nft: Address
  name: string
  symbol: string
}

/** The last metadata event of a data NFT, and what came of its document. */
export interface IndexedMetadata {
  nft: Address
  did: string
  /** State that the event set: 0 active, 1 end of life, 2 deprecated, 3 revoked, 4 temporarily disabled, 5 unlisted. */
  state: number
  /** The document as published, JSON text; null when this provider cannot use it. */
  ddo: string | null
  /** Why there is no document. */
  reason: string | null
  txId: Hex
  block: number
  /** Who signed the event's transaction, as the event says. */
  from: Address
  /** Seconds since 1970. */
  timestamp: number
}

/** What the events of a range of blocks change, in their order. */
export type IndexChange =
  | { kind: 'nft'; nft: IndexedNft }
  | { kind: 'datatoken'; datatoken: IndexedDatatoken }
  | { kind: 'metadata'; metadata: IndexedMetadata }
  | { kind: 'state'; nft: Address; state: number }
  | { kind: 'order'; datatoken: Address }
  /** What an NFT published, or its state, is not known for this reason: it is not to be had. */
  | { kind: 'unreadable'; nft: Address; reason: string }

/** Contracts whose events count. */
export type EmitterKind = 'nft' | 'datatoken'

export interface IndexedAsset {
  chainId: number
  nft: IndexedNft
  datatokens: (IndexedDatatoken & { orders: number })[]
  metadata: IndexedMetadata
}

/** One batch of the index. */
export interface IndexStep {
  chainId: number
  from: Cursor | undefined
  to: Cursor
  changes: IndexChange[]
  keepSince?: number
  /**
   * Told each change that the database does not take, for what it is itself; the others are made. Where it is missing
   * one such change makes the step fail, with UnstorableError.
   */
  leaveOut?: (change: IndexChange) => void
}

export interface IndexStore {
  /** Whether this instance is the one that keeps the index of a chain, of all on one database. */
  lead(chainId: number): Promise<boolean>
  cursor(chainId: number): Promise<Cursor | undefined>
  /** The chains that it has read anything of. */
  chains(): Promise<number[]>
  /**
   * Applies all changes and moves the cursor from `from` in one transaction: all of it or nothing. False, and nothing
   * is changed, where the cursor is elsewhere by now. With `keepSince`, what was there before is kept as well, so that
   * the batch can be taken back, to that block at least; what lies before the last checkpoint up to it is let go.
   */
  commit(step: IndexStep): Promise<boolean>
  /** The cursors that `rollback` can go back to, newest first; the present one is the first. */
  checkpoints(chainId: number): Promise<Cursor[]>
  /** Takes back everything after one of the checkpoints, in one transaction. */
  rollback(chainId: number, to: Cursor): Promise<void>
  /** Forgets everything of one chain, so that it is read again from the start. */
  reset(chainId: number): Promise<void>
  nft(chainId: number, address: Address): Promise<IndexedNft | undefined>
  datatoken(chainId: number, address: Address): Promise<IndexedDatatoken | undefined>
  /** Those of some addresses that are known, asked for in one statement: a few hundred at most. */
  known(chainId: number, kind: EmitterKind, addresses: Address[]): Promise<Address[]>
  /** The known addresses in their order, so many of them, from the one after an address. */
  emitters(chainId: number, kind: EmitterKind, after: Address | undefined, limit: number): Promise<Address[]>
  asset(did: string): Promise<IndexedAsset | undefined>
}
