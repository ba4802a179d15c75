import type { Address, Hex } from 'viem'
import type { Trouble } from './trouble.js'

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
  readonly moments: MomentStore
  readonly identity: IdentityStore
  /** What is wrong with the database, if anything: it is asked, and where it refused something before, to take a write. */
  trouble(how?: Look): Promise<Trouble | undefined>
  close(): Promise<void>
}

/** How a database is looked at. */
export interface Look {
  /** It takes a write in any case, and an embedded one is read as a whole, which may take seconds. */
  thorough?: boolean
}

/** Which state a database holds. */
export interface Identity {
  id: string
  /** Other states that went into this one, or that it was allowed to go on without. */
  contains: string[]
  /** The state that this one was moved to: nothing may be accepted by this one any more. */
  successor?: string
}

/** Every state has an id of its own, by which a database that is not the last one in use is told from it. */
export interface IdentityStore {
  get(): Promise<Identity>
  /** Whether there is nothing in it that must survive. */
  isEmpty(): Promise<boolean>
  /** Notes that what other states held is in this one now, or is given up; it is in use again where it was not. */
  contain(ids: string[]): Promise<void>
  /** Notes that this state went on elsewhere. */
  retire(successor: string): Promise<void>
  /** Goes on with a state that had gone on elsewhere: from here on it is another one, with an id of its own. */
  fork(): Promise<void>
}

/**
 * The last nonces of accounts, and of contract wallets: those by chain (`chainId`), since one address may belong to
 * somebody else on each. A nonce of the account itself, which earlier versions kept for wallets too, holds for its
 * wallets as well, so that none goes down.
 */
export interface NonceStore {
  /** The sort key of the last nonce consumed for this address, if there was one; without a chain the last one of all. */
  last(address: Address, chainId?: number): Promise<string | undefined>
  /**
   * Whether a nonce may still be above the last one of this address: false is final, true is what `consume` says. It
   * asks the database only for addresses that this instance has not seen lately.
   */
  mayPass(address: Address, sortKey: string, chainId?: number): Promise<boolean>
  /**
   * One atomic check and update: true, and the key is stored, exactly when it is greater (as text, byte by byte)
   * than the last one of this address.
   */
  consume(address: Address, sortKey: string, chainId?: number): Promise<boolean>
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

/** When the database learnt something, from where on a new rule holds. */
export type Moment = 'quotes end'

/** Moments that a database remembers for good, written when it was made or brought up to date. */
export interface MomentStore {
  /** Seconds since 1970. */
  of(moment: Moment): Promise<number>
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

export type NewProof = Pick<QueuedProof, 'id' | 'kind' | 'body'>

/** Proofs that wait to be sent. Times are in milliseconds since 1970. */
export interface ProofStore {
  add(proof: NewProof, now: number): Promise<void>
  /**
   * The same at most once for a subject, for good, and at most `perDay` times on one day (UTC; 0 is without limit),
   * over all instances: `known` where it was added before, `refused` where the day's number is used up.
   */
  addOnce(subject: string, perDay: number, proof: NewProof, now: number): Promise<'added' | 'known' | 'refused'>
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
  /** Whether it is encrypted on the chain, where anybody else can read it. */
  encrypted: boolean
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

/** What was read of each chain, from its start to a cursor. */
export interface IndexReading {
  cursor(chainId: number): Promise<Cursor | undefined>
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
  /** Those of some addresses that are known, asked for in one statement: a few hundred at most. */
  known(chainId: number, kind: EmitterKind, addresses: Address[]): Promise<Address[]>
  /** The known addresses in their order, so many of them, from the one after an address. */
  emitters(chainId: number, kind: EmitterKind, after: Address | undefined, limit: number): Promise<Address[]>
}

/** The readings that there are of a chain. */
export interface Readings {
  /** The one that answers. */
  live?: { id: number; cursor: Cursor }
  /** The one that is to replace it; `wanted` by the operator. */
  next?: { id: number; cursor?: Cursor; wanted: boolean }
  /** Whether there are rows of others, which answer nothing any more. */
  old: boolean
}

/** The index: the live reading of each chain, and the next ones beside it. */
export interface IndexStore extends IndexReading {
  /** Whether this instance is the one that keeps the index of a chain, of all on one database. */
  lead(chainId: number): Promise<boolean>
  /** The chains that it has read anything of. */
  chains(): Promise<number[]>
  readings(chainId: number): Promise<Readings>
  /** The readings that are to replace the live ones. */
  readonly next: IndexReading
  /** Begins to read a chain again, beside what was read of it; a next reading that there was is given up. Nothing where nothing was read yet. */
  begin(chainId: number, wanted: boolean): Promise<void>
  /** Gives the next reading of a chain up. */
  giveUp(chainId: number): Promise<void>
  /** Puts the next reading in place of the live one, in one transaction; false where it is not at the cursor. */
  replace(chainId: number, at: Cursor): Promise<boolean>
  /** Deletes some of the rows that answer nothing any more. False where there are none. */
  sweep(chainId: number): Promise<boolean>
  nft(chainId: number, address: Address): Promise<IndexedNft | undefined>
  datatoken(chainId: number, address: Address): Promise<IndexedDatatoken | undefined>
  asset(did: string): Promise<IndexedAsset | undefined>
}
