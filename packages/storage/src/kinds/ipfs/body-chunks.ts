import type { Readable } from 'node:stream'

/** Buffered chunks at which the body is paused, of at most 64 KiB each. */
const HIGH_WATER_MARK = 4

/** The chunks of a body as they arrive. The stream's own iterator would join waiting chunks by a copy. */
export class BodyChunks {
  private readonly waiting: Buffer[] = []
  private failure: Error | undefined
  private isOver = false
  private wake: () => void = () => undefined

  constructor(private readonly body: Readable) {
    body.on('data', (chunk: Buffer) => {
      this.waiting.push(chunk)
      if (this.waiting.length >= HIGH_WATER_MARK) body.pause()
      this.wake()
    })
    body.once('end', () => this.over())
    body.once('error', (error: Error) => this.over(error))
    // a discarded body has no other event
    body.once('close', () => this.over(new Error('cut off')))
  }

  /** Returns the next chunk if it has arrived. */
  take(): Buffer | undefined {
    const chunk = this.waiting.shift()
    if (this.waiting.length < HIGH_WATER_MARK / 2 && this.body.isPaused()) this.body.resume()
    return chunk
  }

  /** Returns the next chunk; undefined at the end. Rejects with the error of the body. */
  async next(): Promise<Buffer | undefined> {
    while (this.waiting.length === 0) {
      if (this.failure) throw this.failure
      if (this.isOver) return undefined
      if (this.body.isPaused()) this.body.resume()
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    return this.take()
  }

  private over(failure?: Error): void {
    if (!this.isOver) this.failure = failure
    this.isOver = true
    this.wake()
  }
}
