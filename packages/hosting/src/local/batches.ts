import { BufferPool } from '@tidegate/storage'
import { HOSTING_LIMITS } from '../limits.js'

const { batch, batchMemory } = HOSTING_LIMITS.hosting

/** The memory in which bytes of uploads wait for the disk, of one process. Fresh memory costs more than the copy into it. */
export class Batches {
  private readonly pool = new BufferPool(batch, batchMemory / batch)
  private taken = 0

  /** Bytes that are taken, counted in whole batches. */
  get bytes(): number {
    return this.taken * batch
  }

  /** Returns memory for `bytes` bytes, or for one batch if they are more. */
  take(bytes: number): Buffer {
    this.taken += 1
    return this.pool.take(bytes)
  }

  /** The same for an upload that has memory already; undefined if the process uses enough. */
  takeMore(bytes: number): Buffer | undefined {
    return this.bytes < batchMemory ? this.take(bytes) : undefined
  }

  /** Takes memory back, which nobody uses any more. */
  release(memory: Buffer): void {
    this.taken -= 1
    this.pool.release(memory)
  }
}
