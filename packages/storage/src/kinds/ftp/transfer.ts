import { Readable, Writable } from 'node:stream'
import type { StorageConnection } from '../../egress/connection.js'

/**
 * The requested bytes of a file. From the first byte on the stall time-out applies, except while the reader exerts
 * back-pressure. The connection ends with the transfer.
 */
export class Transfer extends Readable {
  private pendingWrite: (() => void) | undefined

  /** `remaining`: bytes of the transfer; Infinity if unknown. */
  constructor(
    private remaining: number,
    private readonly connection: StorageConnection,
  ) {
    super()
    // after its reader has left, an error must not crash the process
    this.on('error', () => undefined)
  }

  /** Returns the stream that basic-ftp writes to. Separate, since basic-ftp destroys it with the connection. */
  sink(): Writable {
    return new Writable({ write: (chunk: Buffer, _encoding, done) => this.accept(chunk, done) }).on(
      'error',
      () => undefined,
    )
  }

  /** Waits for the first byte. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.once('readable', resolve)
      this.once('close', () => reject(this.connection.failure()))
    })
  }

  /** Handles the server's confirmation: ends a transfer of unknown length, fails an incomplete one. */
  readonly finish = (): void => {
    if (this.remaining === Number.POSITIVE_INFINITY) this.end()
    else if (this.remaining > 0) this.fail()
  }

  /** Fails the transfer unless it is complete. */
  readonly fail = (): void => {
    if (this.remaining > 0) this.destroy(this.connection.failure())
  }

  override _read(): void {
    const write = this.pendingWrite
    if (!write) return
    this.pendingWrite = undefined
    this.connection.deadline(this.connection.timeouts.stallTimeout)
    write()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.connection.end()
    done(error)
  }

  private accept(chunk: Buffer, done: () => void): void {
    const bytes = chunk.subarray(0, this.remaining)
    this.remaining -= bytes.length
    const wantsMore = this.push(bytes)
    if (this.remaining === 0) {
      this.end()
      return
    }
    this.connection.deadline(wantsMore ? this.connection.timeouts.stallTimeout : undefined)
    if (wantsMore) done()
    else this.pendingWrite = done
  }

  private end(): void {
    this.push(null)
    this.connection.end()
  }
}
