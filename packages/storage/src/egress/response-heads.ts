import { STORAGE_LIMITS } from '../limits.js'
import { MalformedResponse, repairedHead } from './response-head.js'

const MAX_HEAD = STORAGE_LIMITS.files.responseHead
/** Bytes with interim heads and empty lines before it. */
const MAX_RECEIVED = 2 * MAX_HEAD
const START = 'http/1.'
const END = /\n\r?\n/

/** The heads in the bytes of one connection. Each is held until it is complete, and repaired; bodies stay as they are. */
export class ResponseHeads {
  private isExpected = false
  /** The beginning of a head, in Latin-1. */
  private held = ''
  /** Its last characters: the end may lie across two chunks. */
  private seam = ''
  /** Bytes that have come since a head is expected: interim heads and empty lines may be without an end. */
  private received = 0

  /** Expects a head, since a request is being written. */
  expect(): void {
    this.isExpected = true
    this.received = 0
  }

  /**
   * Returns the bytes that may be parsed; null if more must arrive first.
   *
   * @throws MalformedResponse
   */
  take(chunk: Buffer): Buffer | null {
    if (!this.isExpected) return chunk
    if (this.received > MAX_RECEIVED) throw new MalformedResponse('no end of the headers')
    this.received += chunk.length
    const text = chunk.toString('latin1')
    this.seam = this.seam.slice(-2) + text
    this.held = withoutEmptyLines(this.held + text)
    // only the new bytes can complete a head: single bytes must cost little
    const heads = END.test(this.seam) ? this.repairedHeads(chunk) : ''
    if (typeof heads !== 'string') return heads
    if (this.held.length > MAX_HEAD || !START.startsWith(this.held.slice(0, START.length).toLowerCase()))
      throw new MalformedResponse('no end of the headers')
    return heads === '' ? null : Buffer.from(heads, 'latin1')
  }

  /** Returns all bytes if the last head is complete; otherwise the heads before it, and holds its beginning. */
  private repairedHeads(chunk: Buffer): Buffer | string {
    let heads = ''
    for (;;) {
      const end = END.exec(this.held)
      if (!end) return heads
      const head = this.held.slice(0, end.index + end[0].length)
      if (head.length > MAX_HEAD) throw new MalformedResponse('headers too long')
      const { status, text } = repairedHead(head)
      const rest = this.held.slice(head.length)
      // the library closes the connection on an unsolicited 100, which RFC 9110 requires clients to ignore
      if (status !== 100) heads += text
      if (status >= 200) {
        this.isExpected = false
        this.held = ''
        this.seam = ''
        const isUnchanged = heads === head && head.length + rest.length === chunk.length
        return isUnchanged ? chunk : Buffer.from(heads + rest, 'latin1')
      }
      this.held = withoutEmptyLines(rest)
    }
  }
}

/** Returns a text without empty lines before it, which a recipient should ignore (RFC 9112, 2.2). */
function withoutEmptyLines(text: string): string {
  return text.replace(/^[\r\n]+/, '')
}
