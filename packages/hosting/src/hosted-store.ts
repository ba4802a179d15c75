import type { Address } from '@tidegate/protocol'

/** A file that a publisher has uploaded, or is uploading. Times are in milliseconds since 1970. */
export interface HostedRow {
  /** Unguessable, and secret: whoever knows it may publish the file. */
  id: string
  /** The address of the publisher; with the chain after a space, where it is a contract wallet. */
  owner: string
  /** Bytes of the whole file, and those that were received and are durable. */
  size: number
  received: number
  /** What the client says about the file, as it sent it. */
  metadata: string
  createdAt: number
  /** When the upload ends unless it is complete by then. */
  expiresAt: number
  /** Hex; null until the file is complete. */
  sha256: string | null
  completedAt: number | null
  /** When an asset was last seen to use it. */
  usedAt: number | null
  /** What the place of the bytes has to know to find them; null if the id suffices. */
  place: string | null
  /** State of the SHA-256 after the bytes that were received; null if it is not kept, and when the file is complete. */
  hash: string | null
}

/** What a move of an upload records: bytes that are durable now, and with `done` that they are the last. */
export interface HostedMove {
  from: number
  to: number
  place?: string | null
  hash?: string | null
  done?: { sha256: string; at: number }
  /** Gives the lock up as well. */
  unlocks?: boolean
}

export type NewHostedFile = Pick<HostedRow, 'id' | 'owner' | 'size' | 'metadata' | 'createdAt' | 'expiresAt'>

/** What a publisher has: files, and bytes as declared, whether they have arrived or not. */
export interface HostedTotals {
  files: number
  bytes: number
}

/** An asset that may use a hosted file: a files object that names it was encrypted for its NFT. */
export interface HostedUse {
  chainId: number
  nft: Address
  /** What tells that files object from all others: a document that holds this text does use the file. */
  list: string
}

/** Hosted files: which there are, and how much of each is durable. Their bytes lie elsewhere. */
export interface HostedStore {
  /**
   * Adds a file unless its publisher would exceed a limit, or its id is taken; returns which of these it is. Of any number
   * at once, no more pass than fit.
   */
  create(file: NewHostedFile, limits: HostedTotals): Promise<keyof HostedTotals | 'exists' | undefined>
  /** Undefined if there is none, or it is being removed. */
  find(id: string): Promise<HostedRow | undefined>
  /** Files of an owner, or of all of them, after an id, in the order of their ids. */
  list(owner: string | undefined, after: string, limit: number): Promise<HostedRow[]>
  /** What one owner has, or all of them. */
  totals(owner?: string): Promise<HostedTotals>
  /** Files that are not complete, of all owners. */
  unfinished(): Promise<number>
  /** Locks a file for a writer until a time. Returns false if another one holds it, who is asked to give it up. */
  lock(id: string, holder: string, now: number, until: number): Promise<boolean>
  /** Prolongs a lock. Returns whether it is still held, and whether somebody else wants it. */
  renew(id: string, holder: string, until: number): Promise<'held' | 'wanted' | 'lost'>
  unlock(id: string, holder: string): Promise<void>
  /** Records a move. Returns false if the lock is lost, or `from` is not what was received. */
  advance(id: string, holder: string, move: HostedMove): Promise<boolean>
  /** Ids of uploads that ended without being complete, and that nobody is writing. */
  expired(now: number, limit: number): Promise<string[]>
  /** Complete files after an id that were neither completed nor used since a time. */
  idle(since: number, after: string, limit: number): Promise<HostedRow[]>
  setUsed(id: string, at: number): Promise<void>
  /** Removes a file from everybody's sight, and from what its owner has. Its bytes must be deleted next. Returns false if it was not there. */
  remove(id: string, at: number): Promise<boolean>
  /** Files that were removed, and whose bytes may still be there. */
  removed(limit: number): Promise<Pick<HostedRow, 'id' | 'place'>[]>
  /** Forgets a removed file after its bytes were deleted, with the uses that are recorded under these hashes. */
  forget(id: string, uses: readonly string[]): Promise<void>
  /** Returns those of a hundred ids at most that are files, by a single statement. */
  known(ids: readonly string[]): Promise<string[]>
  /** Records that a files object names a file, by the keyed hash of its id. */
  recordUse(file: string, use: HostedUse): Promise<void>
  uses(file: string, limit: number): Promise<HostedUse[]>
}
