import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Egress } from './egress.js'
import type { SqlLimits } from './rows.js'
import type { ReadAnswer, ReadContract } from './smartcontract.js'

/** What a storage says of a file without handing it out. Where the file cannot be had, only `valid` is set. */
export interface FileDescription {
  valid: boolean
  /** Bytes. */
  contentLength?: number
  /** Media type without parameters. */
  contentType?: string
  /** Last part of the location, where it looks like a file name. */
  name?: string
}

/** Values that the consumer hands to the storage, by name; what each kind does with them is its own matter. */
export type UserData = Readonly<Record<string, unknown>>

/** Whose budget a request to a storage counts against: that of ordered downloads, or of what anybody may ask. */
export type Budget = 'paid' | 'anonymous'

/** What every request to a storage depends on. */
export interface Asking {
  /** Aborts whatever was begun, in any state: the client has gone, or the deadline has passed. */
  signal: AbortSignal
  budget: Budget
  /** Told the bytes that storages send, whoever they are for. */
  fetched?: (bytes: number) => void
  userdata?: UserData
}

/** Opens a file, with those request headers of the consumer that a storage may honour: a range, and conditions on a validator. */
export interface OpenRequest extends Asking {
  /** HEAD asks for everything but the bytes. */
  method: 'GET' | 'HEAD'
  headers: Partial<Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>>
}

/** An opened file. `body` must be read to its end or destroyed. */
export interface OpenedFile {
  status: 200 | 206 | 304 | 416
  headers: Partial<
    Record<'content-type' | 'content-length' | 'content-range' | 'accept-ranges' | 'etag' | 'last-modified', string>
  >
  /** File name that the storage itself suggests, or the last part of the location. Not yet made safe. */
  name?: string
  body: Readable
}

/**
 * One kind of storage, as the `type` of a storage object names it. Methods throw StorageError, whose messages never
 * say where the file is.
 */
export interface Storage<T = unknown> {
  readonly type: string
  /** Checks a storage object of this kind, type included. Its messages name fields, never values. */
  readonly schema: z.ZodType<T>
  /** Whether even describing a file reads parts of it. */
  readonly describesByReading?: boolean
  /** Throws ValidationError where the consumer's values will not do, before anything is used up for the request. */
  check?(file: T, userdata: UserData | undefined): void
  /**
   * What the descriptor alone tells of a file that must not be asked about without an order, since asking runs
   * something of the publisher's (POST, SQL) or needs values of the consumer. Undefined where asking only reads.
   */
  outline?(file: T): FileDescription | undefined
  describe(file: T, asking: Asking): Promise<FileDescription>
  open(file: T, request: OpenRequest): Promise<OpenedFile>
}

/** What storages are built with. */
export interface StorageTools {
  egress: Egress
  readContract: ReadContract
  readAnswer: ReadAnswer
  sql: SqlLimits
  /** Base URLs without a trailing slash, in the order in which they are tried. */
  gateways: { ipfs: readonly string[]; filecoin: readonly string[]; arweave: readonly string[] }
}
