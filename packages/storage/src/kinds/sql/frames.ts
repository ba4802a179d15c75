import { STORAGE_LIMITS } from '../../limits.js'
import { AUTHENTICATION, END_OF_TURN, isWellFormed, ROW } from './shapes.js'

/** Bytes of a message header: code and length. */
const HEADER = 5

/** A server violates the protocol or exceeds a limit. */
export class ProtocolError extends Error {}

/**
 * Splits the stream of a PostgreSQL server into messages. Checks headers before it buffers payloads: a row must be requested and of
 * limited size, and all other messages are limited in total. So at most one batch of rows is buffered or parsed.
 */
export class Frames {
  /** The start of an incomplete message. */
  private partial = Buffer.alloc(0)
  private filled = 0
  /** Bytes of the complete message, or of its header if that is incomplete; 0 between messages. */
  private needed = 0
  private overheadLeft: number = STORAGE_LIMITS.sql.overhead
  private rowsLeft = 0
  private batch = 0
  private requested = false
  private readonly authenticated = new Set<number>()

  /** `maxRow`: maximum bytes of a row; a batch may have twice as many. `onRow` is called at the start of a row. */
  constructor(
    private readonly maxRow: number,
    private readonly onRow: () => void,
  ) {}

  /** Whether requested rows are outstanding. */
  get awaitingRows(): boolean {
    return this.requested
  }

  /** Bytes of the current batch of rows. */
  get batchBytes(): number {
    return this.batch
  }

  /** Allows so many rows to arrive. */
  request(rows: number): void {
    this.rowsLeft = rows
    this.batch = 0
    this.requested = true
  }

  /** Adds a chunk. Returns the completed messages, in one buffer or several. Throws ProtocolError. */
  push(chunk: Buffer): Buffer[] {
    const complete: Buffer[] = []
    let data = chunk
    if (this.needed > 0) {
      data = this.fill(chunk)
      if (this.filled < this.needed) return complete
      complete.push(this.partial.subarray(0, this.filled))
      this.check(complete[0] as Buffer)
      this.needed = 0
    }
    let at = 0
    while (data.length - at >= HEADER) {
      const length = this.admit(data.readUInt8(at), data.readUInt32BE(at + 1))
      if (data.length - at < length) {
        this.begin(data.subarray(at), length)
        break
      }
      this.check(data.subarray(at, at + length))
      at += length
    }
    if (this.needed === 0 && at < data.length) this.begin(data.subarray(at), HEADER)
    if (at > 0) complete.push(data.subarray(0, at))
    return complete
  }

  private begin(part: Buffer, needed: number): void {
    this.partial = Buffer.from(part)
    this.filled = part.length
    this.needed = needed
  }

  /** Appends to the incomplete message. Returns the rest of the chunk. */
  private fill(chunk: Buffer): Buffer {
    let rest = chunk
    while (this.filled < this.needed && rest.length > 0) {
      const part = rest.subarray(0, this.needed - this.filled)
      rest = rest.subarray(part.length)
      const size = this.filled + part.length
      if (size > this.partial.length) {
        // grows by the received bytes, not by the announced length
        const larger = Buffer.allocUnsafe(Math.min(this.needed, Math.max(size, this.partial.length * 2)))
        this.partial.copy(larger, 0, 0, this.filled)
        this.partial = larger
      }
      part.copy(this.partial, this.filled)
      this.filled = size
      if (size === HEADER && this.needed === HEADER)
        this.needed = this.admit(this.partial.readUInt8(0), this.partial.readUInt32BE(1))
    }
    return rest
  }

  /** Checks a header. Returns the bytes of the message, including the header. */
  private admit(code: number, length: number): number {
    const size = length + 1
    if (length < HEADER - 1) throw new ProtocolError('a message that is too short')
    if (code === ROW) {
      this.batch += size
      if (this.rowsLeft === 0) throw new ProtocolError('a row that was not requested')
      if (size > this.maxRow || this.batch > 2 * this.maxRow) throw new ProtocolError('too many bytes of rows')
      this.rowsLeft -= 1
      this.onRow()
    } else if (!this.requested || !END_OF_TURN.has(code)) {
      // messages that end a turn are limited by the number of requests
      this.overheadLeft -= size
      if (this.overheadLeft < 0) throw new ProtocolError('too many bytes beside rows')
    } else if (size > STORAGE_LIMITS.sql.overhead) throw new ProtocolError('a message that is too long')
    return size
  }

  private check(message: Buffer): void {
    const code = message.readUInt8(0)
    const body = message.subarray(HEADER)
    if (!isWellFormed(code, body)) throw new ProtocolError('a malformed message')
    if (code === AUTHENTICATION) {
      // each login step is allowed once, since password hashing is expensive
      const step = body.readInt32BE(0)
      if (this.authenticated.has(step)) throw new ProtocolError('a step of the login twice')
      this.authenticated.add(step)
    }
    if (END_OF_TURN.has(code)) {
      this.requested = false
      this.rowsLeft = 0
    }
  }
}
