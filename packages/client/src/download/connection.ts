import { TidegateError } from '../errors.js'
import type { Answer, AnswerReader } from '../http/answer.js'

/** One connection of a transfer. Closes when it stalls. */
export class Connection {
  private readonly controller = new AbortController()
  private reader: AnswerReader | undefined
  private skip = 0
  private left: number | undefined
  private waitingSince: number | undefined
  private watch: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly outer: AbortSignal,
    private readonly stall: number,
  ) {
    outer.addEventListener('abort', this.abort, { once: true })
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Starts reading: skips the first `skip` bytes, then reads at most `wanted`. */
  begin(response: Answer, skip: number, wanted: number | undefined): void {
    this.reader = response.body?.getReader()
    this.skip = skip
    this.left = wanted
    this.watch = setInterval(() => this.look(), this.stall / 4)
  }

  /** Returns the next piece; undefined at the end. Throws TidegateError `STALLED` or `BROKEN_OFF`. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.left !== 0) {
      const piece = await this.received()
      if (piece === undefined) return undefined
      const kept = this.skip > 0 ? piece.subarray(this.skip) : piece
      this.skip = Math.max(0, this.skip - piece.length)
      if (kept.length === 0) continue
      if (this.left === undefined) return kept
      const wanted = kept.length > this.left ? kept.subarray(0, this.left) : kept
      this.left -= wanted.length
      return wanted
    }
    return undefined
  }

  close(): void {
    clearInterval(this.watch)
    this.outer.removeEventListener('abort', this.abort)
    this.controller.abort()
    this.reader?.cancel().catch(() => undefined)
  }

  private readonly abort = () => this.controller.abort(this.outer.reason)

  private async received(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.waitingSince = Date.now()
    try {
      return (await this.reader?.read())?.value
    } catch {
      if (this.controller.signal.aborted) throw this.controller.signal.reason
      throw new TidegateError('BROKEN_OFF', 'The connection broke off before the file was complete.')
    } finally {
      this.waitingSince = undefined
    }
  }

  private look(): void {
    if (this.waitingSince === undefined || Date.now() - this.waitingSince < this.stall) return
    const message = `No byte of the file has arrived for ${this.stall / 1000} seconds.`
    this.controller.abort(new TidegateError('STALLED', message))
  }
}
