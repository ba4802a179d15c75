import type { Address } from '@tidegate/protocol'

/** An uploaded or partly uploaded file. Times are in milliseconds since 1970. */
export interface HostedRow {
  /** Unguessable and secret: knowing the id is enough to publish the file. */
  id: string
  /** The address of the publisher; for a contract wallet followed by a space and the chain. */
  owner: string
  /** Bytes of the whole file. With a deferred length: the bytes that count in the quota so far. */
  size: number
  /** Whether the client has not declared the length yet. */
  isDeferred: boolean
  /** 'partial' for a partial upload; for a final one the ids of its partial uploads, separated by spaces; else null. */
  concat: string | null
  /** The final upload that uses this partial one. */
  final: string | null
  /** Bytes that are received and durable. */
  received: number
  /** The Upload-Metadata header of the client. */
  metadata: string
  createdAt: number
  /** Time at which an incomplete upload ends. */
  expiresAt: number
  /** Hex; null until the file is complete. */
  sha256: string | null
  completedAt: number | null
  /** Time of the last known use by an asset. */
  usedAt: number | null
  /** The backend's state, to find the bytes; null if the id suffices. */
  place: string | null
  /** State of the SHA-256 after the received bytes; null if the file is complete or the backend saves no state. */
  hash: string | null
}

/** An advance of an upload from `from` to `to` durable bytes. `done` completes the file. */
export interface HostedMove {
  from: number
  to: number
  place?: string | null
  hash?: string | null
  done?: { sha256: string; at: number }
  unlocks?: boolean
}

export type NewHostedFile = Pick<HostedRow, 'id' | 'owner' | 'size' | 'metadata' | 'createdAt' | 'expiresAt'> &
  Partial<Pick<HostedRow, 'isDeferred' | 'concat'>>

/** Number of files, and their declared bytes. */
export interface HostedTotals {
  files: number
  bytes: number
}

/** A files object, or a document, that names a hosted file and was encrypted for this NFT. */
export interface HostedUse {
  chainId: number
  nft: Address
  /** A unique part of the encrypted files object, or the path of a public file. A document that contains it uses the file. */
  list: string
}

/** The database tables of hosted files: their metadata, locks, quotas and uses. */
export interface HostedStore {
  /** Adds a file. Returns the limit that its owner would exceed, or 'exists' if the id is taken. Safe for concurrent calls. */
  create(file: NewHostedFile, limits: HostedTotals): Promise<keyof HostedTotals | 'exists' | undefined>
  /**
   * Adds a final upload of complete partial ones of its owner, whose bytes then count as its own. Returns 'partials' if one is
   * missing, incomplete or used, 'bytes' if there are more than `limits.bytes` in all. All or nothing.
   */
  join(
    file: Omit<NewHostedFile, 'size'>,
    partials: readonly string[],
    limits: HostedTotals,
  ): Promise<keyof HostedTotals | 'exists' | 'partials' | undefined>
  /** Returns ids of partial uploads whose final upload is complete or removed. */
  spent(limit: number): Promise<string[]>
  /** Undefined if there is none, or it is removed. */
  find(id: string): Promise<HostedRow | undefined>
  /** Returns files of one owner, or of all, in the order of their ids, after an id. */
  list(owner: string | undefined, after: string, limit: number): Promise<HostedRow[]>
  /** Returns the totals of one owner, or of all. */
  totals(owner?: string): Promise<HostedTotals>
  unfinished(): Promise<number>
  /** Locks a file for a writer until a time. If another writer holds the lock, requests it and returns false. */
  lock(id: string, holder: string, now: number, until: number): Promise<boolean>
  /** Prolongs a lock. `wanted`: held, but another writer requests it. */
  renew(id: string, holder: string, until: number): Promise<'held' | 'wanted' | 'lost'>
  unlock(id: string, holder: string): Promise<void>
  /** Records an advance. Returns false if the lock is lost, or `from` is not the received size. */
  advance(id: string, holder: string, move: HostedMove): Promise<boolean>
  /**
   * Sets the size of an upload with a deferred length, and whether its length stays deferred. The difference counts in the
   * quota of `bytes`. Returns 'lost' if the lock is lost or the length is declared.
   */
  resize(
    id: string,
    holder: string,
    to: Pick<HostedRow, 'size' | 'isDeferred'>,
    bytes: number,
  ): Promise<'bytes' | 'lost' | undefined>
  /** Returns ids of expired incomplete uploads without a writer. */
  expired(now: number, limit: number): Promise<string[]>
  /** Returns complete files after an id that were neither completed nor used since a time. */
  idle(since: number, after: string, limit: number): Promise<HostedRow[]>
  setUsed(id: string, at: number): Promise<void>
  /** Hides a file and frees its quota; the caller deletes the bytes. Returns false if there was none. */
  remove(id: string, at: number): Promise<boolean>
  /** Returns removed files whose bytes may still be stored. */
  removed(limit: number): Promise<Pick<HostedRow, 'id' | 'place' | 'metadata'>[]>
  /** Deletes the row of a removed file, and the uses under these hashes. Call it after deleting the bytes. */
  forget(id: string, uses: readonly string[]): Promise<void>
  /** Returns the existing files among at most 100, by a single statement. */
  known(ids: readonly string[]): Promise<Pick<HostedRow, 'id' | 'metadata'>[]>
  /**
   * Records a use of several files in one transaction, and that they are used at a time. A file with `limit` uses gets no further one.
   * A repetition within a minute writes nothing. `hash`: the keyed hash of the id.
   */
  recordUses(files: readonly { id: string; hash: string }[], use: HostedUse, limit: number, at: number): Promise<void>
  uses(file: string, limit: number): Promise<HostedUse[]>
}
