import type { Readable } from 'node:stream'
import type { HostedRow } from './hosted-store.js'

/** The SHA-256 of the first bytes of an upload. */
export interface RunningHash {
  update(chunk: Uint8Array): void
  /** Saves the state for the next part, after the first `bytes`. Returns a state to record; null if it is in memory. */
  save(bytes: number): string | null
  hex(): string
}

/** The records that a backend writes during an upload. Methods throw StateError, or HostingError if the lock is lost. */
export interface Journal {
  /** Records the backend's state without acknowledging bytes. Only one call at a time. */
  record(place: string): Promise<void>
  /**
   * Acknowledges all bytes written before the commit. `isUnconfirmed`: the backend does not know whether the complete
   * file has these bytes, so the file is read and its hash is compared.
   */
  acknowledge(place: string | null, options?: { isUnconfirmed: boolean }): Promise<void>
  /** Ends the request early and keeps the received bytes. `reason`: default, other uploads wait for its memory. Idempotent. */
  giveUp(reason?: Error): void
  /** Acknowledges a whole file that an earlier request completed without recording it. */
  complete(place: string): Promise<void>
}

/** Thrown by a writer after Journal.complete: no more bytes are needed. */
export class AlreadyComplete extends Error {}

/** Appends to one upload, after the received bytes. */
export interface BackendWriter {
  /** Takes the beginning of a chunk. Returns the number of bytes. They are not durable before a commit. */
  write(chunk: Uint8Array): Promise<number>
  /** Whether a commit is due before the next write. */
  readonly isDue: boolean
  /** Whether writes are allowed during a commit. */
  readonly writesWhileCommitting: boolean
  /** Makes all written bytes durable and acknowledges them. `isLast`: they complete the file. Only one call at a time. */
  commit(isLast: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * Storage for the bytes of hosted files. Only bytes that the state store records are durable; further bytes are ignored.
 * Methods reject with HostingError if the backend is full, unavailable or has lost an upload, or with the system's error.
 */
export interface FileBackend {
  prepare(): Promise<void>
  /** Whether a new file of so many bytes fits, as far as the backend can tell. */
  hasRoom(bytes: number): Promise<boolean>
  /** Returns the hash of the received bytes; undefined if it must be computed from the complete file. */
  hash(file: HostedRow): Promise<RunningHash | undefined>
  open(file: HostedRow, journal: Journal): Promise<BackendWriter>
  /** Opens a range of a complete file, both ends inclusive. Rejects if it is missing. */
  read(
    file: Pick<HostedRow, 'id' | 'size' | 'place'>,
    start: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<Readable>
  /** Returns the stored bytes of a file; undefined if there is no file. */
  sizeOf(file: HostedRow): Promise<number | undefined>
  remove(file: Pick<HostedRow, 'id' | 'place'>): Promise<void>
  /** Deletes the rest of crashed uploads that began before a time and belong to no file. `known` finds the row of a file. */
  tidy(before: number, known: (id: string) => Promise<HostedRow | undefined>): Promise<void>
  /** Yields the ids of all stored files, in no order. */
  ids(): AsyncGenerator<string>
  close(): Promise<void>
}
