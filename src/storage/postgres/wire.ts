import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { StorageConnection } from '../connection.js'
import { Frames } from './frames.js'

/**
 * What the driver takes for its socket: the decrypted side of a connection that stands already. It sees whole,
 * well-formed messages alone, no faster than it reads them, and what it throws at one ends the connection, not the
 * process.
 */
export class PostgresWire extends Duplex {
  private readonly frames: Frames

  /** `maxRow`: bytes of a row. Emits `row` when the first one begins to come. */
  constructor(
    private readonly socket: Socket,
    private readonly connection: StorageConnection,
    maxRow: number,
  ) {
    super()
    this.frames = new Frames(maxRow, () => this.emit('row'))
    this.on('error', () => undefined)
    const { stallTimeout } = connection.timeouts
    socket.setTimeout(stallTimeout, () => this.frames.waiting && connection.expire())
    socket.on('data', (chunk: Buffer) => this.receive(chunk))
    socket.once('end', connection.end)
    socket.once('close', () => this.destroy())
    socket.pause()
  }

  /** Bytes of the rows that were last asked for. */
  get batchBytes(): number {
    return this.frames.batchBytes
  }

  /** Lets so many rows come; to be called before the server is asked for them. */
  expect(rows: number): void {
    this.frames.ask(rows)
  }

  /** For the driver, which believes that it connects. */
  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  /** For the driver: that is done. */
  setNoDelay(): this {
    return this
  }

  // biome-ignore lint/suspicious/noExplicitAny: the form that the class has
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
      for (const messages of this.frames.take(chunk)) if (!this.push(messages)) this.socket.pause()
    } catch {
      this.connection.end()
    }
  }
}
