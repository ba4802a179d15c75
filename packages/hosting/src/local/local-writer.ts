import type { FileHandle } from 'node:fs/promises'
import type { BackendWriter, Journal } from '../file-backend.js'
import { HOSTING_LIMITS } from '../limits.js'
import type { Batches } from './batches.js'
import { DiskQueue } from './disk-queue.js'

/**
 * Writes an upload to a file, after the acknowledged bytes; the next part overwrites the rest of a crashed one. Fills a
 * batch while the disk writes earlier ones. Copies bytes into batches, since waiting chunks burden the garbage collector.
 */
export class LocalWriter implements BackendWriter {
  readonly writesWhileCommitting = true
  private readonly disk: DiskQueue
  /** The batch that is being filled, and its bytes. */
  private batch: Buffer | undefined
  private bytes = 0
  private timer: NodeJS.Timeout | undefined
  /** Batches that wait for the disk, by their filled part. */
  private readonly queued = new Map<Buffer, Buffer>()
  /** Bytes of the file that were accepted. */
  private position: number
  /** The position at the start of the last commit, and its time. */
  private committed: number
  private committedAt = Number.NEGATIVE_INFINITY

  /** `received`: bytes of the file so far; `size`: bytes of the complete file. */
  constructor(
    private readonly handle: FileHandle,
    received: number,
    private readonly size: number,
    private readonly batches: Batches,
    private readonly journal: Journal,
  ) {
    this.position = received
    this.committed = received
    // a slow line may take minutes to fill the memory, where a failure would be noticed
    const fail = (error: Error) => journal.giveUp(error)
    this.disk = new DiskQueue(handle, received, (bytes) => this.free(bytes), fail)
  }

  get isDue(): boolean {
    const { checkpoint, checkpointWait } = HOSTING_LIMITS.hosting
    return this.position - this.committed >= checkpoint && performance.now() - this.committedAt >= checkpointWait
  }

  async write(chunk: Uint8Array): Promise<number> {
    this.batch ??= await this.next()
    const count = Math.min(chunk.length, this.batch.length - this.bytes)
    this.batch.set(count < chunk.length ? chunk.subarray(0, count) : chunk, this.bytes)
    this.bytes += count
    this.position += count
    if (this.bytes === this.batch.length) this.handOver()
    // a slow line takes long to fill a batch
    else this.timer ??= setTimeout(() => this.handOverIfIdle(), HOSTING_LIMITS.hosting.batchWait)
    return count
  }

  async commit(): Promise<void> {
    this.committed = this.position
    this.committedAt = performance.now()
    this.handOver()
    await this.disk.sync(this.committed)
    await this.journal.acknowledge(null)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.disk.settled()
    for (const batch of [...this.queued.values(), ...(this.batch ? [this.batch] : [])]) this.batches.release(batch)
    await this.handle.close()
  }

  /** Returns a buffer for the next batch. Beyond two, the limits of the upload and of the process apply. */
  private async next(): Promise<Buffer> {
    const left = this.size - this.position
    for (;;) {
      const { size: count } = this.queued
      const isFew = count * HOSTING_LIMITS.hosting.batch < HOSTING_LIMITS.hosting.uploadMemory
      const memory = count < 2 ? this.batches.take(left) : isFew ? this.batches.takeMore(left) : undefined
      if (memory) return memory
      await this.disk.progress()
    }
  }

  private handOverIfIdle(): void {
    this.timer = undefined
    if (this.disk.isIdle) this.handOver()
    else this.timer = setTimeout(() => this.handOverIfIdle(), HOSTING_LIMITS.hosting.batchWait)
  }

  /** Hands the filled part of the batch to the disk. */
  private handOver(): void {
    const { batch, bytes } = this
    if (!batch || bytes === 0) return
    clearTimeout(this.timer)
    this.timer = undefined
    this.batch = undefined
    this.bytes = 0
    const written = batch.subarray(0, bytes)
    this.queued.set(written, batch)
    this.disk.add(written)
  }

  private free(written: Buffer): void {
    this.batches.release(this.queued.get(written) as Buffer)
    this.queued.delete(written)
  }
}
