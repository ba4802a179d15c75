import { Readable, Writable } from 'node:stream'
import type { StorageConnection } from './connection.js'

/**
 * The bytes that were asked for, as they come and no faster than they are read. Once the first has come, the server may
 * be silent for no longer than the stall time-out; for how long nobody reads is not its matter. The connection ends with
 * them.
 */
export class Transfer extends Readable {
  private more: (() => void) | undefined

  constructor(
    private left: number,
    private readonly connection: StorageConnection,
  ) {
    super()
    // of a file that nobody reads any more: it must not end the process
    this.on('error', () => undefined)
  }

  /** Where the library writes to. A stream of its own, since the library breaks it together with the connection. */
  sink(): Writable {
    return new Writable({ write: (chunk: Buffer, _encoding, done) => this.accept(chunk, done) }).on(
      'error',
      () => undefined,
    )
  }

  /** Waits for the first byte. */
  begun(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.once('readable', resolve)
      this.once('close', () => reject(this.connection.failure()))
    })
  }

  /** No more bytes will come. */
  readonly over = (): void => {
    if (this.left > 0) this.destroy(this.connection.failure())
  }

  override _read(): void {
    const more = this.more
    if (!more) return
    this.more = undefined
    this.connection.deadline(this.connection.timeouts.stallTimeout)
    more()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.connection.end()
    done(error)
  }

  private accept(chunk: Buffer, done: () => void): void {
    const wanted = chunk.subarray(0, this.left)
    this.left -= wanted.length
    const hungry = this.push(wanted)
    if (this.left === 0) {
      this.push(null)
      this.connection.end()
      return
    }
    this.connection.deadline(hungry ? this.connection.timeouts.stallTimeout : undefined)
    if (hungry) done()
    else this.more = done
  }
}
