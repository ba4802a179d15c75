import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** Reusable buffers of one size. A buffer that is not released is garbage collected. */
export class BufferPool {
  private readonly free: Buffer[] = []

  /** `most`: maximum number of free buffers. */
  constructor(
    readonly size: number,
    private readonly most: number,
  ) {}

  /** Returns a buffer of `bytes` bytes, at most `size`. */
  take(bytes: number): Buffer {
    return (bytes >= this.size ? this.free.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.min(bytes, this.size))
  }

  release(memory: Buffer): void {
    if (memory.length === this.size && this.free.length < this.most) this.free.push(memory)
  }
}

/** Streams a part of a local file, then closes the file. Readers may recycle chunks, since allocation costs as much as reading. */
export class FileBody extends Readable {
  /** Weak, since most readers recycle nothing. */
  private readonly lent = new WeakMap<Buffer, Buffer>()

  /** Both ends are inclusive. The stream ends early if the file does. */
  constructor(
    private readonly file: FileHandle,
    private position: number,
    private readonly end: number,
    private readonly pool: BufferPool,
  ) {
    super({ highWaterMark: pool.size })
  }

  /** Takes back an unused chunk. Ignores buffers that are not whole chunks of this stream. */
  recycle(chunk: Buffer): void {
    const memory = this.lent.get(chunk)
    if (!memory) return
    this.lent.delete(chunk)
    this.pool.release(memory)
  }

  override _read(): void {
    const left = this.end + 1 - this.position
    if (left <= 0) return void this.push(null)
    const memory = this.pool.take(left)
    const length = Math.min(left, memory.length)
    this.file.read(memory, 0, length, this.position).then(
      ({ bytesRead }) => {
        if (bytesRead === 0) return this.push(null)
        this.position += bytesRead
        const chunk = memory.subarray(0, bytesRead)
        this.lent.set(chunk, memory)
        this.push(chunk)
      },
      (error) => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // closing waits for a read in progress
    this.file.close().then(
      () => done(error),
      (failed) => done(error ?? failed),
    )
  }
}
