import { STORAGE_LIMITS } from '../../limits.js'
import { MalformedResponse, statusOf } from './response-head.js'

const MAX_HEAD = STORAGE_LIMITS.files.responseHead
/** Maximum bytes of a head with interim heads and empty lines before it. */
const MAX_RECEIVED = 2 * MAX_HEAD
const START = 'HTTP/1.'
const END = /\n\r?\n/

/** Checks the response heads in the bytes of one connection. Holds each head until it is complete. */
export class ResponseHeads {
  private isExpected = false
  /** The beginning of an incomplete head, in Latin-1. */
  private held = ''
  /** The last characters of it: the end of a head may span two chunks. */
  private seam = ''
  /** Bytes since a head is expected. Limited, since interim heads and empty lines may be endless. */
  private received = 0

  /** Expects a head. Called when a request is written. */
  expect(): void {
    this.isExpected = true
    this.received = 0
  }

  /** Returns the bytes for the parser; null if more must arrive first. Throws MalformedResponse. */
  take(chunk: Buffer): Buffer | null {
    if (!this.isExpected) return chunk
    if (this.received > MAX_RECEIVED) throw new MalformedResponse('no end of the headers')
    this.received += chunk.length
    if (this.held === '' && hasFinalHead(chunk)) {
      this.isExpected = false
      this.seam = ''
      return chunk
    }
    const text = chunk.toString('latin1')
    this.seam = this.seam.slice(-2) + text
    this.held = withoutEmptyLines(this.held + text)
    // looks for the end in new bytes only, so that single bytes cost little
    const heads = END.test(this.seam) ? this.checkedHeads(chunk) : ''
    if (typeof heads !== 'string') return heads
    if (this.held.length > MAX_HEAD || !START.startsWith(this.held.slice(0, START.length)))
      throw new MalformedResponse('no end of the headers')
    return heads === '' ? null : Buffer.from(heads, 'latin1')
  }

  /** Returns all bytes if the final head is complete; else returns the complete heads and holds the rest. */
  private checkedHeads(chunk: Buffer): Buffer | string {
    let heads = ''
    for (;;) {
      const end = END.exec(this.held)
      if (!end) return heads
      const head = this.held.slice(0, end.index + end[0].length)
      if (head.length > MAX_HEAD) throw new MalformedResponse('headers too long')
      const status = statusOf(head)
      const rest = this.held.slice(head.length)
      // undici closes the connection on an unsolicited 100, which RFC 9110 requires clients to ignore
      if (status !== 100) heads += head
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

/**
 * Whether a chunk begins with one whole head, which is final. It nearly always does, and then its body need not become text.
 * @throws MalformedResponse
 */
function hasFinalHead(chunk: Buffer): boolean {
  const end = chunk.indexOf('\r\n\r\n')
  if (end < 0 || end + 4 > MAX_HEAD) return false
  const head = chunk.toString('latin1', 0, end + 4)
  // not the first end: the head ends before, without CR
  if (!head.startsWith(START) || END.exec(head)?.index !== end + 1) return false
  return statusOf(head) >= 200
}

/** Removes leading empty lines, which a recipient should ignore (RFC 9112, 2.2). */
function withoutEmptyLines(text: string): string {
  return text.replace(/^[\r\n]+/, '')
}
