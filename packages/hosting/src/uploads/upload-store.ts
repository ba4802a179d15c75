import { Readable } from 'node:stream'
import { HostingError, ProviderError } from '@tidegate/protocol'
import { DataStore, type Locker, type Upload, Upload as UploadRecord } from '@tus/server'
import type { HostedRow } from '../hosted-store.js'
import type { Creation } from '../ids.js'
import { HOSTING_LIMITS, type HostingLimits } from '../limits.js'
import { alreadyBegun, full, lostLock, notFound, tooLarge } from '../refusals.js'
import type { PartChecksum } from './checksum.js'
import { Incoming } from './incoming.js'
import { UploadLock } from './lock.js'
import { type PartTools, PartWriter } from './part-writer.js'

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
  /** 'partial' for a new partial upload. */
  concat?: 'partial' | null
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
    this.extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'expiration', 'checksum']
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
    const { owner, metadata, concat = null } = this.uploader
    const { id, size = 0, sizeIsDeferred: isDeferred } = upload
    if (!(await this.tools.backend.hasRoom(size))) throw full()
    const createdAt = Date.now()
    const row = {
      id,
      owner,
      size,
      isDeferred,
      concat,
      metadata,
      createdAt,
      expiresAt: createdAt + this.limits.lifetime,
    }
    const refused = await this.tools.store.create(row, {
      files: HOSTING_LIMITS.hosting.files,
      bytes: this.limits.quota,
    })
    if (refused === 'exists') throw alreadyBegun()
    if (refused) throw await this.overQuota(refused)
    await this.take(id, () => undefined)
    upload.creation_date = new Date(createdAt).toISOString()
    // an empty file is complete at once
    if (size === 0 && !isDeferred) await this.completeNow(await this.find(id))
    return upload
  }

  /** Writes the request body. The stream of the tus server is unused, since passing bytes through it is slow. */
  override async write(stream: Readable, id: string): Promise<number> {
    stream.resume()
    this.writing = this.writeTo(id).catch((error: unknown) => {
      this.failed = error
      throw error
    })
    return this.writing
  }

  override async getUpload(id: string): Promise<UploadRecord> {
    const found = await this.find(id)
    const { size, isDeferred, received: offset, createdAt } = found
    const isInterrupted = !isDeferred && offset === size && found.completedAt === null
    const { completedAt } = isInterrupted ? await this.completeNow(found) : found
    return new UploadRecord({
      id,
      ...(isDeferred ? {} : { size }),
      offset,
      // without a creation date, complete files do not expire
      ...(completedAt === null ? { creation_date: new Date(createdAt).toISOString() } : {}),
    } as ConstructorParameters<typeof UploadRecord>[0])
  }

  override getExpiration(): number {
    return this.limits.lifetime
  }

  /** Sets the length of an upload that began without. Throws HostingError. */
  override async declareUploadLength(id: string, size: number): Promise<void> {
    const refused = await this.resize(id, { size, isDeferred: false })
    if (refused) throw await this.overQuota(refused)
  }

  private async writeTo(id: string): Promise<number> {
    const file = await this.find(id)
    if (file.completedAt !== null) return file.received
    const part = { bytes: this.incoming, checksum: this.uploader.checksum, stop: () => this.incoming.stop() }
    if (!file.isDeferred) return PartWriter.write(file, this.lock as UploadLock, this.tools, part)
    // no upload has so many bytes, so none is complete
    const size = this.limits.maxFile + 1
    return PartWriter.write({ ...file, size }, this.lock as UploadLock, this.tools, {
      ...part,
      reserve: this.reserver(file),
    })
  }

  /** Completes a file that has all its bytes: an empty one, or one whose length a crashed request declared. */
  private async completeNow(file: HostedRow): Promise<HostedRow> {
    const none = Readable.from([]) as AsyncIterable<Uint8Array>
    await PartWriter.write(file, this.lock as UploadLock, this.tools, { bytes: none })
    return this.find(file.id)
  }

  /** Returns a function that counts the bytes of an upload in the quota, in steps if they fit. It throws HostingError. */
  private reserver({ id, size }: HostedRow): (bytes: number) => Promise<void> {
    let reserved = size
    return async (bytes) => {
      if (bytes <= reserved) return
      const { maxFile } = this.limits
      if (bytes > maxFile) throw tooLarge(this.limits)
      for (const size of [Math.min(bytes + HOSTING_LIMITS.hosting.deferredStep, maxFile), bytes]) {
        const refused = await this.resize(id, { size, isDeferred: true })
        reserved = size
        if (!refused) return
      }
      throw await this.overQuota('bytes')
    }
  }

  private async resize(id: string, to: Pick<HostedRow, 'size' | 'isDeferred'>): Promise<'bytes' | undefined> {
    const { holder } = this.lock as UploadLock
    const refused = await this.tools.store.resize(id, holder, to, this.limits.quota)
    if (refused === 'lost') throw lostLock()
    return refused
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
