import type { Readable } from 'node:stream'
import type { FileProblem, Schema } from '@tidegate/protocol'

/** A description of a file. For an unavailable file only `valid`, `reason` and `upstreamStatus` are set. */
export interface FileDescription {
  valid: boolean
  /** Reason of an unavailable file. */
  reason?: FileProblem
  /** Status of the storage's response, for the operator's log. */
  upstreamStatus?: number
  /** Bytes. */
  contentLength?: number
  /** Media type without parameters. */
  contentType?: string
  /** Name that a download gets: the one that the storage suggests, or the last segment of the location if it looks like one. */
  name?: string
}

/** Values from the consumer for the storage, by name. Their use depends on the kind. */
export type UserData = Readonly<Record<string, unknown>>

/** The budget that a storage request is charged to: that of ordered downloads, or of requests without an order. */
export type Budget = 'paid' | 'anonymous'

/** The context of every storage request. */
export interface RequestContext {
  /** Aborts everything in flight, in any state: the client disconnected, or the deadline passed. */
  signal: AbortSignal
  budget: Budget
  /** Called with the number of bytes received from storages. */
  fetched?: ((bytes: number) => void) | undefined
  userdata?: UserData | undefined
}

/** A request for a file, with the consumer's headers that a storage may honour: a range, and conditions on a validator. */
export interface OpenRequest extends RequestContext {
  /** HEAD returns everything but the bytes. */
  method: 'GET' | 'HEAD'
  headers: Partial<Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>>
}

/** An opened file. `body` must be read to its end or destroyed. */
export interface OpenedFile {
  status: 200 | 206 | 304 | 416
  headers: Partial<
    Record<
      'content-type' | 'content-length' | 'content-range' | 'accept-ranges' | 'etag' | 'last-modified' | 'repr-digest',
      string
    >
  >
  /** File name that the storage suggests, or the last segment of the location. Not yet sanitized. */
  name?: string
  /** Owner of a file that this service hosts. */
  hostedBy?: string
  body: Readable
}

/**
 * A kind of storage, selected by the `type` of a storage object. Methods throw StorageError, whose messages never
 * reveal the location of the file.
 */
export interface Storage<T = unknown> {
  readonly type: string
  /** Validates a storage object of this kind, type included. Its messages name fields, never values. */
  readonly schema: Schema<T>
  /** Whether even describing a file reads parts of it. */
  readonly describesByReading?: boolean
  /** Throws ValidationError for unsuitable userdata, before the request consumes a nonce. */
  check?(file: T, userdata: UserData | undefined): void
  /**
   * Describes a file by its descriptor alone if it must not be requested without an order, since that
   * would execute a request of the publisher's (POST, SQL) or needs userdata. Undefined if a request only reads.
   */
  outline?(file: T): FileDescription | undefined
  describe(file: T, context: RequestContext): Promise<FileDescription>
  open(file: T, request: OpenRequest): Promise<OpenedFile>
}

/** A valid storage object, bound to its kind. */
export interface StoredFile {
  type: string
  /** Whether even describing it reads parts of it. */
  describesByReading: boolean
  check(userdata: UserData | undefined): void
  outline(): FileDescription | undefined
  describe(context: RequestContext): Promise<FileDescription>
  open(request: OpenRequest): Promise<OpenedFile>
}
