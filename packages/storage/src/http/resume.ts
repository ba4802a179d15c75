import { Readable } from 'node:stream'
import { discard } from '../egress/egress.js'
import { BufferedBody } from '../egress/exchange.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { OpenedFile } from '../storage.js'
import { notDelivered } from '../storage-failures.js'
import { isSameFile, parseContentRange } from './framing.js'

/** Requests the rest of a file from a byte on, on the condition that it is unchanged (If-Range). */
export type Reopen = (from: number, to: number, validator: string) => Promise<OpenedFile>

/**
 * Makes a file resumable: a broken transfer continues by a range request with the file's validator, so that all bytes belong to
 * the same file. Without a strong validator or a length, returns the file unchanged.
 */
export function resuming(opened: OpenedFile, reopen: Reopen): OpenedFile {
  if (opened.body instanceof BufferedBody) return opened
  const { 'content-length': length, 'content-range': range, etag, 'last-modified': modified } = opened.headers
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified
  if (validator === undefined || length === undefined || (opened.status !== 200 && opened.status !== 206)) return opened
  const first = range ? parseContentRange(range)?.first : 0
  if (first === undefined) return opened
  const rest = async (from: number, to: number) => restOf(opened, from, to, await reopen(from, to, validator))
  return { ...opened, body: new ResumingBody(opened.body, first, first + Number(length) - 1, rest) }
}

/** Returns the body of the rest; undefined if it is another range or another file. */
function restOf(original: OpenedFile, from: number, to: number, rest: OpenedFile): Readable | undefined {
  const part = parseContentRange(rest.headers['content-range'])
  if (rest.status === 206 && part?.first === from && part.last === to && isSameFile(original.headers, rest.headers))
    return rest.body
  discard(rest.body)
  return undefined
}

class ResumingBody extends Readable {
  private resumes = 0

  constructor(
    private source: OpenedFile['body'],
    /** Offsets of the next byte and of the last one. */
    private position: number,
    private readonly last: number,
    private readonly rest: (from: number, to: number) => Promise<Readable | undefined>,
  ) {
    super({ highWaterMark: 0 })
    this.follow(source)
  }

  recycle(chunk: Buffer): void {
    this.source.recycle?.(chunk)
  }

  override _read(): void {
    this.source.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    discard(this.source)
    done(error)
  }

  private follow(source: Readable): void {
    this.source = source
    source.on('data', (chunk: Buffer) => {
      this.position += chunk.length
      // more bytes than announced: the file is not trusted
      if (this.position > this.last + 1) this.destroy(notDelivered())
      else if (!this.push(chunk) || this.isPaused()) source.pause()
    })
    source.once('end', () => this.onBroken(source, notDelivered()))
    source.once('error', (error) => this.onBroken(source, error))
    source.pause()
  }

  private onBroken(source: Readable, error: Error): void {
    if (source === this.source && !this.destroyed) void this.resumeOrEnd(error)
  }

  /** Ends a complete transfer. Resumes a broken one, or destroys it with the error that broke it. */
  private async resumeOrEnd(error: Error): Promise<void> {
    if (this.position > this.last) return void this.push(null)
    if (this.resumes >= STORAGE_LIMITS.files.resumes) return void this.destroy(error)
    this.resumes += 1
    try {
      const rest = await this.rest(this.position, this.last)
      if (this.destroyed || !rest) {
        if (rest) discard(rest)
        return void this.destroy(error)
      }
      this.follow(rest)
      this.source.resume()
    } catch {
      this.destroy(error)
    }
  }
}
