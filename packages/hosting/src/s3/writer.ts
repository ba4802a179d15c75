import { randomBytes } from 'node:crypto'
import { AlreadyComplete, type BackendWriter, type Journal } from '../file-backend.js'
import { HOSTING_LIMITS } from '../limits.js'
import { lostBytes } from '../refusals.js'
import type { Bucket } from './bucket.js'
import type { Share } from './memory.js'
import { readObject } from './reading.js'
import { S3Error } from './s3-client.js'
import type { S3State } from './state.js'

export interface S3WriterOptions {
  bucket: Bucket
  /** Prefix of every key of this file. */
  folder: string
  /** Bytes of the file, and of each part but the last. */
  size: number
  partSize: number
  state: S3State
  journal: Journal
  memory: Share
  /** Throws the publisher's error. */
  failed(error: unknown): never
}

/**
 * Collects one part of the file in memory. A whole part goes to a multipart upload; pieces of an incomplete one go to
 * separate objects, so that they can be acknowledged. Keys and part numbers are never reused: a writer that has lost its
 * lock cannot overwrite the data of another one.
 */
export class S3Writer implements BackendWriter {
  readonly writesWhileCommitting = false
  /** The acknowledged state, and the current one. */
  private recorded: S3State
  private state: S3State
  private readonly buffer: Buffer
  /** Received bytes of the part. */
  private position: number
  /** Bytes of the part in objects, and whether these bytes are in memory. */
  private stored: number
  private isLoaded: boolean
  /** A part number that is recorded for this writer. */
  private reserved: number | undefined
  /** Whether the whole file is in the bucket. `unconfirmed`: perhaps with other bytes. */
  private finished: 'sure' | 'unconfirmed' | undefined

  constructor(private readonly options: S3WriterOptions) {
    const { state, size, partSize } = options
    this.recorded = state
    this.state = state
    this.buffer = Buffer.allocUnsafeSlow(Math.min(partSize, size - state.parts.length * partSize))
    this.stored = state.tail.reduce((sum, { bytes }) => sum + bytes, 0)
    this.position = this.stored
    this.isLoaded = this.stored === 0
  }

  get isDue(): boolean {
    return this.position === this.buffer.length
  }

  async write(chunk: Uint8Array): Promise<number> {
    if (this.isDue) await this.putPart().catch(this.options.failed)
    const count = Math.min(chunk.length, this.buffer.length - this.position)
    this.buffer.set(chunk.subarray(0, count), this.position)
    this.position += count
    return count
  }

  async commit(isLast: boolean): Promise<void> {
    await this.store(isLast).catch(this.options.failed)
    await this.options.journal.acknowledge(JSON.stringify(this.state), {
      isUnconfirmed: this.finished === 'unconfirmed',
    })
    const needed = new Set(this.state.tail.map(({ key }) => key))
    const ended = this.recorded.tail.filter(({ key }) => !needed.has(key))
    this.recorded = this.state
    // remaining pieces are deleted with the file
    await Promise.allSettled(ended.map(({ key }) => this.options.bucket.remove(key)))
  }

  async close(): Promise<void> {
    this.options.memory.release()
  }

  private async store(isLast: boolean): Promise<void> {
    if (isLast) return this.finish()
    if (!this.isDue) return this.position > this.stored ? this.putTail() : undefined
    await this.putPart()
    // the number of the next part is recorded with this one
    this.reserved = this.state.next
    this.state = { ...this.state, next: this.reserved + 1 }
  }

  /** Uploads the buffer as the next part. */
  private async putPart(): Promise<void> {
    await this.load()
    const { file, upload } = await this.multipartUpload()
    const number = await this.takeNumber()
    const bytes = this.buffer.subarray(0, this.position)
    const etag = await this.options.bucket.putPart(file, upload, number, bytes).catch((error) => this.lost(error, file))
    this.state = { ...this.state, parts: [...this.state.parts, [number, etag]], tail: [] }
    this.position = 0
    this.stored = 0
    this.options.memory.progressed()
  }

  /** Handles a failed part. If the upload is missing, an earlier request may have completed the file without recording it. */
  private async lost(error: unknown, file: string): Promise<never> {
    const { bucket, journal, size } = this.options
    if (!isMissing(error) || (await bucket.sizeOf(file)) !== size) throw error
    await journal.complete(JSON.stringify(completeState(file)))
    throw new AlreadyComplete()
  }

  /** Stores the bytes since the last commit as an object. */
  private async putTail(): Promise<void> {
    const isMerged = this.state.tail.length >= HOSTING_LIMITS.hosting.s3Pieces
    if (isMerged) await this.load()
    const from = isMerged ? 0 : this.stored
    const key = this.newKey('tail')
    await this.options.bucket.put(key, this.buffer.subarray(from, this.position))
    const piece = { key, bytes: this.position - from }
    this.state = { ...this.state, tail: isMerged ? [piece] : [...this.state.tail, piece] }
    this.stored = this.position
  }

  /** Creates the object of the file: a small one directly, others from their parts. */
  private async finish(): Promise<void> {
    if (this.finished) return
    const { bucket, size } = this.options
    const { upload } = this.state
    const file = this.state.file ?? this.newKey('file')
    if (upload === undefined) {
      await this.load()
      await bucket.put(file, this.buffer.subarray(0, this.position))
      this.finished = 'sure'
    } else {
      if (this.position > 0) await this.putPart()
      this.finished = await this.complete(file, upload)
    }
    if ((await bucket.sizeOf(file)) !== size) throw lostBytes()
    this.state = completeState(file)
  }

  /** Completes the multipart upload. If it is missing or S3 confirms nothing, the file may exist, perhaps with other bytes. */
  private async complete(file: string, upload: string): Promise<'sure' | 'unconfirmed'> {
    const { bucket } = this.options
    try {
      await bucket.complete(file, upload, this.state.parts)
      return 'sure'
    } catch (error) {
      const isOpen = isMissing(error) || (error as S3Error).code === 'NoResult'
      if (!isOpen || (await bucket.sizeOf(file)) === undefined) throw error
      return 'unconfirmed'
    }
  }

  /** Loads the beginning of the part, which earlier requests have stored in objects. */
  private async load(): Promise<void> {
    if (this.isLoaded) return
    let at = 0
    for (const { key, bytes } of this.state.tail)
      for await (const chunk of await readObject(this.options.bucket, key, { start: 0, end: bytes - 1, size: bytes })) {
        this.buffer.set(chunk as Uint8Array, at)
        at += (chunk as Uint8Array).length
      }
    this.isLoaded = true
  }

  /** Returns the multipart upload; begins one if there is none. */
  private async multipartUpload(): Promise<{ file: string; upload: string }> {
    const { file, upload } = this.state
    if (file !== undefined && upload !== undefined) return { file, upload }
    const key = this.newKey('file')
    const begun = { file: key, upload: await this.options.bucket.begin(key) }
    this.state = { ...this.state, ...begun }
    return begun
  }

  /** Returns a new part number, after it is recorded for this writer. */
  private async takeNumber(): Promise<number> {
    const { file, upload, next } = this.state
    const number = this.reserved ?? next
    if (this.reserved === undefined) {
      const recorded = { ...this.recorded, file, upload, next: number + 1 }
      await this.options.journal.record(JSON.stringify(recorded))
      this.recorded = recorded
      this.state = { ...this.state, next: number + 1 }
    }
    this.reserved = undefined
    return number
  }

  private newKey(what: 'file' | 'tail'): string {
    return `${this.options.folder}${what}-${randomBytes(12).toString('base64url')}`
  }
}

function completeState(file: string): S3State {
  return { file, parts: [], next: 1, tail: [] }
}

function isMissing(error: unknown): boolean {
  return error instanceof S3Error && error.status === 404
}
