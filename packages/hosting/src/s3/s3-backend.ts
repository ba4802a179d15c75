import { HostingError, ProviderError } from '@tidegate/protocol'
import { HOSTED_ID } from '@tidegate/storage'
import {
  AlreadyComplete,
  type BackendWriter,
  type FileBackend,
  type Journal,
  type RunningHash,
} from '../file-backend.js'
import { savedHash } from '../hashes.js'
import type { HostedRow } from '../hosted-store.js'
import { full, lostBytes, unstorable } from '../refusals.js'
import { Bucket } from './bucket.js'
import { PartMemory } from './memory.js'
import { readObject } from './reading.js'
import { type S3Account, S3Error } from './s3-client.js'
import { partSize, stateOf } from './state.js'
import { S3Writer } from './writer.js'

export interface S3BackendOptions {
  account: S3Account
  /** Prefix of every key: empty, or a path with a trailing slash. */
  prefix: string
  /** Called with each failure that retries did not solve. */
  onFailure?: (failure: S3Error) => void
  memory?: PartMemory
  /** Bytes per part, for tests with less than S3 accepts. */
  part?: number
}

/** Codes of S3 services without free space, besides status 507. */
const FULL = ['XMinioStorageFull', 'QuotaExceeded', 'XMinioAdminBucketQuotaExceeded', 'InsufficientCapacity']
/** Codes of requests that fail in the same way each time: sizes, numbers and forms that a service does not take. */
const FINAL = [
  ...['EntityTooSmall', 'EntityTooLarge', 'TooManyParts', 'InvalidPartOrder', 'InvalidPartNumber', 'InvalidArgument'],
  ...['InvalidRequest', 'MaxMessageLengthExceeded', 'MissingContentLength', 'KeyTooLongError', 'MalformedXML'],
  'NotImplemented',
]
/** Codes for missing uploads, objects and parts. */
const LOST = ['NoSuchUpload', 'NoSuchKey', 'InvalidPart']

/** Stores each complete file as one object in a bucket of an S3-compatible service. */
export class S3Backend implements FileBackend {
  readonly bucket: Bucket
  private readonly memory: PartMemory

  constructor(private readonly options: S3BackendOptions) {
    this.bucket = new Bucket(options.account)
    this.memory = options.memory ?? new PartMemory()
  }

  get name(): string {
    return this.options.account.bucket
  }

  get prefix(): string {
    return this.options.prefix
  }

  /** Checks that the bucket can be listed. Rejects with S3Error. */
  async prepare(): Promise<void> {
    await this.bucket.list(`${this.prefix}-`).next()
  }

  /** Returns true: S3 tells only when it refuses bytes. */
  async hasRoom(): Promise<boolean> {
    return true
  }

  /** Parts cannot be read before the file is complete, so the hash state is saved. */
  async hash({ received, hash }: HostedRow): Promise<RunningHash | undefined> {
    return received > 0 && hash === null ? undefined : savedHash(hash)
  }

  async open({ id, size, isDeferred, place }: HostedRow, journal: Journal): Promise<BackendWriter> {
    const { bucket } = this
    const recorded = stateOf(place)
    const bytes = recorded.partSize ?? this.options.part ?? partSize(size)
    const state = isDeferred ? { ...recorded, partSize: bytes } : recorded
    const memory = await this.memory.take(Math.min(bytes, size), () => journal.giveUp())
    const failed = (error: unknown) => this.failed(error)
    return new S3Writer({ bucket, folder: this.folderOf(id), size, partSize: bytes, state, journal, memory, failed })
  }

  async read({ size, place }: Pick<HostedRow, 'size' | 'place'>, start: number, end: number, signal?: AbortSignal) {
    const { file } = stateOf(place)
    if (file === undefined) throw lostBytes()
    return readObject(this.bucket, file, { start, end, size }, signal).catch((error) => {
      signal?.throwIfAborted()
      return this.failed(error)
    })
  }

  async sizeOf({ received, sha256, place }: HostedRow): Promise<number | undefined> {
    const { file, tail } = stateOf(place)
    if (sha256 !== null) return file === undefined ? undefined : this.bucket.sizeOf(file)
    // only the pieces of the next part are objects; uploaded parts count as stored
    let there = received
    for (const { key, bytes } of tail) if ((await this.bucket.sizeOf(key)) !== bytes) there -= bytes
    return there
  }

  async remove({ id, place }: Pick<HostedRow, 'id' | 'place'>): Promise<void> {
    const { file, upload } = stateOf(place)
    if (file !== undefined && upload !== undefined) await this.bucket.abort(file, upload)
    for await (const key of this.bucket.list(this.folderOf(id))) await this.bucket.remove(key)
  }

  /** Aborts multipart uploads of no file. Rejects with S3Error, also if listing them is not allowed. */
  async tidy(before: number, known: (id: string) => Promise<HostedRow | undefined>): Promise<void> {
    for await (const { key, uploadId, at } of this.bucket.uploads(this.prefix)) {
      const id = key.slice(this.prefix.length).split('/')[0] ?? ''
      if (at >= before || !key.startsWith(this.prefix) || !HOSTED_ID.test(id)) continue
      const file = await known(id)
      if (stateOf(file?.place ?? null).upload !== uploadId) await this.bucket.abort(key, uploadId)
    }
  }

  async *ids(): AsyncGenerator<string> {
    const { prefix } = this
    for await (const folder of this.bucket.list(prefix, '/')) {
      const id = folder.slice(prefix.length, -1)
      if (HOSTED_ID.test(id)) yield id
    }
  }

  close(): Promise<void> {
    return this.bucket.close()
  }

  private folderOf(id: string): string {
    // no other text becomes part of a key
    if (!HOSTED_ID.test(id)) throw new Error('Not the id of a hosted file.')
    return `${this.prefix}${id}/`
  }

  /** Throws the publisher's error. Reports the S3 response to the operator. */
  private failed(error: unknown): never {
    if (error instanceof ProviderError || error instanceof AlreadyComplete) throw error
    const failure = error instanceof S3Error ? error : new S3Error(0, 'UNKNOWN')
    this.options.onFailure?.(failure)
    const { status, code } = failure
    if (LOST.includes(code)) throw lostBytes()
    if (FINAL.includes(code)) throw unstorable(code)
    if (status === 507 || FULL.includes(code)) throw full()
    throw new HostingError(
      'HOSTING_UNAVAILABLE',
      'The storage of hosted files does not respond. Try again in a moment.',
    )
  }
}
