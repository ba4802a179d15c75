import type { Readable } from 'node:stream'
import type { Cancellation } from '@tidegate/common'
import type { FileProblem, Schema } from '@tidegate/protocol'

/** A description of a file. An unavailable file has only `valid`, `reason` and `upstreamStatus`. */
export interface FileDescription {
  valid: boolean
  reason?: FileProblem
  /** Status of the storage's response, for the operator's log. */
  upstreamStatus?: number
  /** Bytes. */
  contentLength?: number
  /** Media type without parameters. */
  contentType?: string
  /** SHA-256 as hex, if it is known without reading the file. */
  sha256?: string
  /** The name of the download: suggested by the storage, or the last segment of the location if it looks like a name. */
  name?: string
}

/** The consumer's values for the storage, by name. Their use depends on the kind. */
export type UserData = Readonly<Record<string, unknown>>

/** The budget of a storage request: `paid` for downloads with an order, `anonymous` for requests without one. */
export type Budget = 'paid' | 'anonymous'

export interface RequestContext {
  /** Aborts everything in flight, in any state, at a disconnect or a deadline. */
  signal: Cancellation
  budget: Budget
  /** Called with the number of bytes received from storages. */
  fetched?: ((bytes: number) => void) | undefined
  userdata?: UserData | undefined
  /** Called before each request to a storage with its host. Resolves when the request may be sent. */
  pace?: ((host: string) => Promise<void>) | undefined
}

/** A request for a file. `headers`: the consumer's range and conditions. */
export interface OpenRequest extends RequestContext {
  /** HEAD returns everything but the bytes. */
  method: 'GET' | 'HEAD'
  headers: Partial<Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>>
}

/** An opened file. The caller must read `body` to its end or destroy it. */
export interface OpenedFile {
  status: 200 | 206 | 304 | 416
  headers: Partial<
    Record<
      'content-type' | 'content-length' | 'content-range' | 'accept-ranges' | 'etag' | 'last-modified' | 'repr-digest',
      string
    >
  >
  /** File name that the storage suggests, or the last segment of the location. Not sanitized. */
  name?: string
  /** Owner of a file that this service hosts. */
  hostedBy?: string
  body: FileStream
}

/** The bytes of a file. Readers may recycle whole chunks that they need no more, since new memory costs as much as reading. */
export type FileStream = Readable & { recycle?(chunk: Buffer): void }

/** A kind of storage, by the `type` of its storage objects. Methods throw StorageError, which never reveals a location. */
export interface Storage<T = unknown> {
  readonly type: string
  /** Validates a storage object, including its type. Messages name fields, never values. */
  readonly schema: Schema<T>
  /** Whether even describing a file reads parts of it. */
  readonly describesByReading?: boolean
  /** Throws ValidationError for unsuitable userdata. Called before the request consumes a nonce. */
  check?(file: T, userdata: UserData | undefined): void
  /**
   * Describes a file by its descriptor alone, if a request would execute code of the publisher (POST, SQL) or needs userdata. Undefined
   * if a request only reads.
   */
  outline?(file: T): FileDescription | undefined
  describe(file: T, context: RequestContext): Promise<FileDescription>
  open(file: T, request: OpenRequest): Promise<OpenedFile>
}

/** A valid storage object, bound to its kind. */
export interface StoredFile {
  type: string
  /** The publisher's public name of the file: a relative path. It replaces the names that the storage suggests. */
  publicName?: string
  describesByReading: boolean
  check(userdata: UserData | undefined): void
  outline(): FileDescription | undefined
  describe(context: RequestContext): Promise<FileDescription>
  open(request: OpenRequest): Promise<OpenedFile>
}
