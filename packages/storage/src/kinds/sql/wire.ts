import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { StorageConnection } from '../../egress/connection.js'
import { Frames } from './frames.js'

/**
 * The driver's socket: the decrypted side of an established connection. Forwards only complete, well-formed messages, with
 * back-pressure. If the driver throws, the connection ends instead of the process.
 */
export class PostgresWire extends Duplex {
  private readonly frames: Frames

  /** `maxRow`: maximum bytes of a row. Emits `row` at the start of a row. */
  constructor(
    private readonly socket: Socket,
    private readonly connection: StorageConnection,
    maxRow: number,
  ) {
    super()
    this.frames = new Frames(maxRow, () => this.emit('row'))
    this.on('error', () => undefined)
    const { stallTimeout } = connection.timeouts
    socket.setTimeout(stallTimeout, () => this.frames.awaitingRows && connection.expire())
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.once('end', connection.end)
    socket.once('close', () => this.destroy())
    socket.pause()
  }

  /** Bytes of the current batch of rows. */
  get batchBytes(): number {
    return this.frames.batchBytes
  }

  /** Allows so many rows to arrive. Call it before requesting them. */
  expect(rows: number): void {
    this.frames.request(rows)
  }

  /** Called by the driver to connect; already done. */
  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  /** Called by the driver; already done. */
  setNoDelay(): this {
    return this
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signature of the base class
  override emit(event: string | symbol, ...args: any[]): boolean {
    try {
      return super.emit(event, ...args)
    } catch (error) {
      if (event !== 'data') throw error
      this.connection.end()
      return true
    }
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.connection.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection.end()
    done(error)
  }

  private receive(chunk: Buffer): void {
    try {
      for (const messages of this.frames.push(chunk)) if (!this.push(messages)) this.socket.pause()
    } catch {
      this.connection.end()
    }
  }
}
