import type { Readable } from 'node:stream'
import type { HostedRow } from './hosted-store.js'

/** The SHA-256 of the first bytes of an upload. */
export interface RunningHash {
  update(chunk: Uint8Array): void
  /** Keeps the hash of the first `bytes` for the next part. Returns what to record beside them; null if nothing is. */
  keep(bytes: number): string | null
  /** Returns the hash as hex. */
  hex(): string
}

/** What the writer of a part may record in the meantime. Each throws HostingError where the lock is lost, and StateError. */
export interface Journal {
  /** Records what a backend has to know, while nothing more is acknowledged. Nobody else does so at the same time. */
  record(place: string): Promise<void>
  /**
   * Acknowledges all that was written before the commit. `isUnconfirmed`: the backend cannot tell whether the complete file has these bytes; it
   * is read, and compared with what was uploaded.
   */
  acknowledge(place: string | null, options?: { isUnconfirmed: boolean }): Promise<void>
  /** Ends the request early, and keeps what has arrived: other uploads wait for its memory. It may be repeated. */
  giveUp(): void
  /** Acknowledges the whole file, which an earlier request has left complete without being able to say so. */
  complete(place: string): Promise<void>
}

/** Thrown by a writer after Journal.complete: nothing more needs to be written. */
export class AlreadyComplete extends Error {}

/** Appends to one upload, after what was received. */
export interface BackendWriter {
  /** Takes the beginning of a chunk, and returns how many bytes. They are not durable before a commit. */
  write(chunk: Uint8Array): Promise<number>
  /** Whether what was written should be committed before the next write. */
  readonly isDue: boolean
  /** Whether more may be written while it commits. */
  readonly writesWhileCommitting: boolean
  /** Makes all that was written before durable, then acknowledges it. `isLast`: it is the end of the file. One at a time. */
  commit(isLast: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * Where the bytes of hosted files lie. What is durable is what the state store says; a backend may hold more, which nobody
 * sees. All reject with HostingError where the backend is full, away or has lost an upload, or with the error of the system.
 */
export interface FileBackend {
  /** Makes the backend ready. */
  prepare(): Promise<void>
  /** Returns the hash of what was received; undefined if it must be made from the complete file. */
  hash(file: HostedRow): Promise<RunningHash | undefined>
  open(file: HostedRow, journal: Journal): Promise<BackendWriter>
  /** Opens bytes of a complete file, both ends inclusive. Rejects if they are not there. */
  read(
    file: Pick<HostedRow, 'id' | 'size' | 'place'>,
    start: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<Readable>
  /** How many bytes of a file are there; undefined if there is none. */
  sizeOf(file: HostedRow): Promise<number | undefined>
  /** Deletes all that there is of a file. */
  remove(file: Pick<HostedRow, 'id' | 'place'>): Promise<void>
  /** Deletes what began before a time and belongs to no file: a crash may leave it behind. `known` finds the row of a file. */
  tidy(before: number, known: (id: string) => Promise<HostedRow | undefined>): Promise<void>
  /** The ids of all files that are there, in no order. */
  ids(): AsyncGenerator<string>
  close(): Promise<void>
}
