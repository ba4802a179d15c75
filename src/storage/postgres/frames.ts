import { BOUNDS } from '../../bounds.js'
import { AUTHENTICATION, isWellFormed, ROW, TURNS_OVER } from './shapes.js'

/** Code and length of a message. */
const HEADER = 5

/** A server that does not keep to the protocol, or says more than it may. */
export class ProtocolError extends Error {}

/**
 * Splits what a PostgreSQL server sends into messages. Their headers are judged before their bytes are kept: a row must
 * have been asked for and be of bounded size, and everything else together is bounded as well. So a server can make
 * neither more be kept nor more be parsed than one batch of rows, however it sends it.
 */
export class Frames {
  /** The message that has begun, as far as it has come. */
  private begun = Buffer.alloc(0)
  private filled = 0
  /** Bytes that it needs: those of its header as long as that is not whole. */
  private needed = 0
  private aside: number = BOUNDS.sql.aside
  private rowsLeft = 0
  private batch = 0
  private asked = false
  private readonly authenticated = new Set<number>()

  /** `maxRow`: bytes of a row; the rows that are asked for at once may have twice that. `onRow` is told that one comes. */
  constructor(
    private readonly maxRow: number,
    private readonly onRow: () => void,
  ) {}

  /** Whether rows were asked for that have not come. */
  get waiting(): boolean {
    return this.asked
  }

  /** Bytes of the rows that were last asked for. */
  get batchBytes(): number {
    return this.batch
  }

  /** Lets so many rows come. */
  ask(rows: number): void {
    this.rowsLeft = rows
    this.batch = 0
    this.asked = true
  }

  /** The whole messages that a chunk completes, in one piece or several. Throws ProtocolError. */
  take(chunk: Buffer): Buffer[] {
    const whole: Buffer[] = []
    let data = chunk
    if (this.needed > 0) {
      data = this.fill(chunk)
      if (this.filled < this.needed) return whole
      whole.push(this.begun.subarray(0, this.filled))
      this.check(whole[0] as Buffer)
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
    if (at > 0) whole.push(data.subarray(0, at))
    return whole
  }

  private begin(part: Buffer, needed: number): void {
    this.begun = Buffer.from(part)
    this.filled = part.length
    this.needed = needed
  }

  /** Adds to the message that has begun; answers what is left over. */
  private fill(chunk: Buffer): Buffer {
    let rest = chunk
    while (this.filled < this.needed && rest.length > 0) {
      const part = rest.subarray(0, this.needed - this.filled)
      rest = rest.subarray(part.length)
      const size = this.filled + part.length
      if (size > this.begun.length) {
        // grows with what has come, not with what was announced
        const larger = Buffer.allocUnsafe(Math.min(this.needed, Math.max(size, this.begun.length * 2)))
        this.begun.copy(larger, 0, 0, this.filled)
        this.begun = larger
      }
      part.copy(this.begun, this.filled)
      this.filled = size
      if (size === HEADER && this.needed === HEADER)
        this.needed = this.admit(this.begun.readUInt8(0), this.begun.readUInt32BE(1))
    }
    return rest
  }

  /** Judges a header; answers the bytes of the message, header included. */
  private admit(code: number, length: number): number {
    const size = length + 1
    if (length < HEADER - 1) throw new ProtocolError('no message is that short')
    if (code === ROW) {
      this.batch += size
      if (this.rowsLeft === 0) throw new ProtocolError('a row that was not asked for')
      if (size > this.maxRow || this.batch > 2 * this.maxRow) throw new ProtocolError('too many bytes of rows')
      this.rowsLeft -= 1
      this.onRow()
    } else if (!this.asked || !TURNS_OVER.has(code)) {
      // what ends a turn that was asked for is as bounded as the asking
      this.aside -= size
      if (this.aside < 0) throw new ProtocolError('too many bytes beside rows')
    } else if (size > BOUNDS.sql.aside) throw new ProtocolError('too long a message')
    return size
  }

  private check(message: Buffer): void {
    const code = message.readUInt8(0)
    const body = message.subarray(HEADER)
    if (!isWellFormed(code, body)) throw new ProtocolError('a message without the form of its kind')
    if (code === AUTHENTICATION) {
      // each step of a login comes once: proving a password costs
      const step = body.readInt32BE(0)
      if (this.authenticated.has(step)) throw new ProtocolError('a step of the login twice')
      this.authenticated.add(step)
    }
    if (TURNS_OVER.has(code)) {
      this.asked = false
      this.rowsLeft = 0
    }
  }
}
