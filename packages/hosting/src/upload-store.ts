import type { Readable } from 'node:stream'
import { HostingError, ProviderError } from '@tidegate/protocol'
import { DataStore, type Locker, type Upload, Upload as UploadRecord } from '@tus/server'
import type { PartChecksum } from './checksum.js'
import type { HostedRow } from './hosted-store.js'
import type { Creation } from './ids.js'
import { Incoming } from './incoming.js'
import { HOSTING_LIMITS } from './limits.js'
import { UploadLock } from './lock.js'
import { type PartTools, PartWriter } from './part-writer.js'
import { alreadyBegun, notFound } from './refusals.js'

export interface HostingLimits {
  /** Bytes of one file. */
  maxFile: number
  /** Bytes of all files of one publisher. */
  quota: number
  /** Milliseconds until an incomplete upload expires. */
  lifetime: number
}

/** The owner of a request and its headers. */
export interface Uploader {
  owner: string
  /** The requested file of the owner; undefined for a new one. */
  file: HostedRow | undefined
  /** Identifies a creation that the client may repeat. */
  creation?: Creation | undefined
  checksum: PartChecksum | undefined
  /** Normalized metadata of a new file. */
  metadata: string
}

/** The tus server's data store for one request, over the tables and the backend of hosted files. */
export class UploadStore extends DataStore {
  readonly locker: Locker
  private lock: UploadLock | undefined
  private writing: Promise<number> | undefined
  private failed: unknown
  private readonly incoming: Incoming

  constructor(
    private readonly tools: PartTools,
    private readonly limits: HostingLimits,
    private readonly uploader: Uploader,
    body: Readable | undefined,
  ) {
    super()
    this.incoming = new Incoming(body)
    this.extensions = ['creation', 'creation-with-upload', 'expiration', 'checksum']
    this.locker = {
      newLock: (id) => ({
        lock: async (signal, release) => {
          signal.addEventListener('abort', () => this.incoming.stop(), { once: true })
          if (uploader.file) await this.take(id, release)
        },
        unlock: async () => {
          // after a broken stream, the received bytes may still be written
          await this.writing?.catch(() => undefined)
          await this.lock?.release()
        },
      }),
    }
  }

  /** The error of a failed part. The tus server itself reports only that its stream failed. */
  get failure(): ProviderError | undefined {
    return this.failed instanceof ProviderError ? this.failed : undefined
  }

  override async create(upload: Upload): Promise<Upload> {
    const { owner, metadata } = this.uploader
    const { id, size = 0 } = upload
    const createdAt = Date.now()
    const row = { id, owner, size, metadata, createdAt, expiresAt: createdAt + this.limits.lifetime }
    const refused = await this.tools.store.create(row, {
      files: HOSTING_LIMITS.hosting.files,
      bytes: this.limits.quota,
    })
    if (refused === 'exists') throw alreadyBegun()
    if (refused) throw await this.overQuota(refused)
    await this.take(id, () => undefined)
    upload.creation_date = new Date(createdAt).toISOString()
    // an empty file is complete at once
    if (size === 0) await this.writeTo(id, [])
    return upload
  }

  /** Writes the request body. The stream of the tus server is unused, since passing bytes through it is slow. */
  override async write(stream: Readable, id: string): Promise<number> {
    stream.resume()
    this.writing = this.writeTo(id, this.incoming).catch((error: unknown) => {
      this.failed = error
      throw error
    })
    return this.writing
  }

  override async getUpload(id: string): Promise<UploadRecord> {
    const { size, received: offset, createdAt, completedAt } = await this.find(id)
    return new UploadRecord({
      id,
      size,
      offset,
      // without a creation date, complete files do not expire
      ...(completedAt === null ? { creation_date: new Date(createdAt).toISOString() } : {}),
    } as ConstructorParameters<typeof UploadRecord>[0])
  }

  override getExpiration(): number {
    return this.limits.lifetime
  }

  private async writeTo(id: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
    const file = await this.find(id)
    if (file.completedAt !== null) return file.received
    const { checksum } = this.uploader
    const part = { bytes: bytes as AsyncIterable<Uint8Array>, checksum, stop: () => this.incoming.stop() }
    return PartWriter.write(file, this.lock as UploadLock, this.tools, part)
  }

  private async take(id: string, release: () => unknown): Promise<void> {
    this.lock = new UploadLock(this.tools.store, id)
    await this.lock.acquire(release)
  }

  private async find(id: string): Promise<HostedRow> {
    const file = await this.tools.store.find(id)
    if (!file) throw notFound()
    return file
  }

  private async overQuota(refused: 'files' | 'bytes'): Promise<HostingError> {
    const { files, bytes } = await this.tools.store.totals(this.uploader.owner)
    const what =
      refused === 'files' ? `${files} files, and may not have more` : `${bytes} of ${this.limits.quota} bytes`
    return new HostingError('UPLOAD_QUOTA', `The file does not fit: this publisher has ${what}.`)
  }
}
