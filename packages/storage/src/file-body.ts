import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** Memory of one size that is used again. Whatever does not come back is left to the garbage collector. */
export class BufferPool {
  private readonly free: Buffer[] = []

  /** `most`: how many are kept. */
  constructor(
    readonly size: number,
    private readonly most: number,
  ) {}

  /** Returns memory of `bytes` bytes, but no more than the size of the pool. */
  take(bytes: number): Buffer {
    return (bytes >= this.size ? this.free.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.min(bytes, this.size))
  }

  /** Takes memory back, which nobody uses any more. */
  release(memory: Buffer): void {
    if (memory.length === this.size && this.free.length < this.most) this.free.push(memory)
  }
}

/**
 * A part of a file of this machine as a stream, which closes the file at its end. A reader that gives chunks back spares
 * the system the memory for new ones, which costs as much as reading; others need not.
 */
export class FileBody extends Readable {
  private readonly lent = new Map<Buffer, Buffer>()

  /** Both ends are inclusive. If the file ends earlier, so does the stream. */
  constructor(
    private readonly file: FileHandle,
    private position: number,
    private readonly end: number,
    private readonly pool: BufferPool,
  ) {
    super({ highWaterMark: pool.size })
  }

  /** Takes back a chunk that nobody uses any more. Anything that is not a whole chunk of this stream is ignored. */
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
    // it waits for a read under way
    this.file.close().then(
      () => done(error),
      (failed) => done(error ?? failed),
    )
  }
}
