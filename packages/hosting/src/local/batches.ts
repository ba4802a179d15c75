import { BufferPool } from '@tidegate/storage'
import { HOSTING_LIMITS } from '../limits.js'

const { batch, batchMemory } = HOSTING_LIMITS.hosting

/** The buffers in which bytes wait for the disk. They are reused, since allocation costs more than the copy. */
export class Batches {
  private readonly pool = new BufferPool(batch, batchMemory / batch)
  private taken = 0

  /** Bytes in use, counted in whole batches. */
  get bytes(): number {
    return this.taken * batch
  }

  /** Returns a buffer for `bytes` bytes, at most of one batch. */
  take(bytes: number): Buffer {
    this.taken += 1
    return this.pool.take(bytes)
  }

  /** Returns another buffer for an upload; undefined at the limit of the process. */
  takeMore(bytes: number): Buffer | undefined {
    return this.bytes < batchMemory ? this.take(bytes) : undefined
  }

  release(memory: Buffer): void {
    this.taken -= 1
    this.pool.release(memory)
  }
}
