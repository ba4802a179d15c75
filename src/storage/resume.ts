import { Readable } from 'node:stream'
import { StorageError } from '../errors.js'
import { discard } from './egress.js'
import { WholeBody } from './exchange.js'
import { partOf, sameFile } from './framing.js'
import type { OpenedFile } from './storage.js'

/** Asks for the rest of a file from a byte on, under the condition that it is still the same file. */
export type Reopen = (from: number, to: number, validator: string) => Promise<OpenedFile>

/** How often one transfer is taken up again. */
const MAX_RESUMES = 5

/**
 * A file whose storage may break in the middle: the transfer then goes on where it was, with a range under the file's
 * validator, so that the bytes are those of one and the same file. Without a strong validator or a length it stays as
 * it is, and a break ends it visibly.
 */
export function resuming(opened: OpenedFile, reopen: Reopen): OpenedFile {
  if (opened.body instanceof WholeBody) return opened
  const { 'content-length': length, 'content-range': range, etag, 'last-modified': modified } = opened.headers
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified
  if (validator === undefined || length === undefined || (opened.status !== 200 && opened.status !== 206)) return opened
  const first = range ? partOf(range)?.first : 0
  if (first === undefined) return opened
  const rest = async (from: number, to: number) => restOf(opened, from, to, await reopen(from, to, validator))
  return { ...opened, body: new ResumingBody(opened.body, first, first + Number(length) - 1, rest) }
}

/** The body of the rest; undefined where it is not the range that was asked for, or not of the file that was begun. */
function restOf(begun: OpenedFile, from: number, to: number, rest: OpenedFile): Readable | undefined {
  const part = partOf(rest.headers['content-range'])
  if (rest.status === 206 && part?.first === from && part.last === to && sameFile(begun.headers, rest.headers))
    return rest.body
  discard(rest.body)
  return undefined
}

class ResumingBody extends Readable {
  private resumes = 0

  constructor(
    private source: Readable,
    /** The next byte to come, and the last one. */
    private position: number,
    private readonly last: number,
    private readonly rest: (from: number, to: number) => Promise<Readable | undefined>,
  ) {
    super()
    this.follow(source)
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
      // what goes past the length that was announced would be read as the next response of the connection
      if (this.position > this.last + 1) this.destroy(misfit())
      else if (!this.push(chunk)) source.pause()
    })
    source.once('end', () => this.broke(source, misfit()))
    source.once('error', (error) => this.broke(source, error))
    source.pause()
  }

  private broke(source: Readable, error: Error): void {
    if (source === this.source && !this.destroyed) void this.goOn(error)
  }

  /** Ends the transfer where all has come. Otherwise takes it up again, or ends it with the error that broke it. */
  private async goOn(error: Error): Promise<void> {
    if (this.position > this.last) return void this.push(null)
    if (this.resumes >= MAX_RESUMES) return void this.destroy(error)
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

/** The rest of a file is not as long as its range says. */
function misfit(): StorageError {
  return new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.')
}
