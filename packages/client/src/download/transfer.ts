import { TidegateError } from '../errors.js'
import type { Answer } from '../http/answer.js'
import { refusalOf } from '../http/refusals.js'
import { pause, pauseBefore, retriesAfter } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { ArchiveEnd } from './archive-end.js'
import { Connection } from './connection.js'
import { contentRangeOf, type FileFacts, factsOf, sameVersion, type Version, versionOf } from './headers.js'

export interface Progress {
  /** Received bytes, including those of earlier runs. */
  received: number
  /** Size in bytes, if the provider reports it. */
  total?: number
  /** Number of resumptions. */
  resumed: number
}

export interface TransferOptions {
  /** Sends one request for the file, with a new proof. */
  open(headers: Record<string, string>, signal: AbortSignal): Promise<Answer>
  /** Index of the file, the name of a file without one. */
  file: number
  /** Whether the response is a ZIP archive, whose end shows that it is complete. */
  archive?: boolean | undefined
  signal?: AbortSignal | undefined
  /** First and last byte, from 0. */
  range?: { start: number; end?: number | undefined } | undefined
  /** The version of the bytes that an earlier run has downloaded; resumes at `range.start`. */
  begun?: Version | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  /** Most retries in a row; see LIMITS.retries. */
  retries?: number | undefined
  /** Milliseconds without a byte until a connection counts as stalled. */
  stallTimeout?: number | undefined
  maxSize?: number | undefined
}

/**
 * The bytes of one version of a file, in order and each once, over as many connections as necessary. A connection buffers a
 * bounded number of bytes (256 KiB with `node:http`) and then pauses.
 */
export class Transfer {
  facts: FileFacts | undefined
  /** The version of the first response; later responses must have the same. */
  version: Version | undefined
  position: number
  private readonly start: number
  private connection: Connection | undefined
  private failures = 0
  private resumed = 0
  private lastFailureAt: number
  private ended = false
  /** End of the first response's range, if the length of the whole file is unknown. */
  private announced: number | undefined
  private readonly archiveEnd: ArchiveEnd | undefined
  private readonly cancelled = new AbortController()

  constructor(private readonly options: TransferOptions) {
    const { range, begun, signal } = options
    this.archiveEnd = options.archive ? new ArchiveEnd() : undefined
    this.start = range?.start ?? 0
    this.position = this.start
    this.lastFailureAt = this.start
    this.version = begun
    if (signal?.aborted) this.cancelled.abort(signal.reason)
    else signal?.addEventListener('abort', this.abort, { once: true })
  }

  get isArchive(): boolean {
    return this.archiveEnd !== undefined
  }

  /** Bytes of the requested range, if known. */
  get size(): number | undefined {
    const { end } = this
    return end === undefined ? undefined : Math.max(0, end - this.start)
  }

  /**
   * Connects, and sets `facts` and `version`. Throws TidegateError: the provider's refusal, `FILE_CHANGED` if the file has
   * changed since the start, `BROKEN_OFF` if all retries fail.
   */
  async connect(): Promise<void> {
    try {
      while (!this.connection) await this.attempt().catch((error) => this.failed(error))
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Returns the next piece; undefined at the end. Throws like `connect`. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      while (!this.ended) {
        const piece = await this.piece().catch((error) => this.failed(error))
        if (piece) return this.delivered(piece)
      }
      if (this.cancelled.signal.aborted) throw this.cancelled.signal.reason
      this.close()
      return undefined
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Aborts the transfer and its pending reads with a reason. */
  cancel(reason?: unknown): void {
    this.cancelled.abort(reason)
    this.close()
  }

  private readonly abort = () => this.cancel(this.options.signal?.reason)

  private close(): void {
    this.ended = true
    this.connection?.close()
    this.connection = undefined
    this.options.signal?.removeEventListener('abort', this.abort)
  }

  /** The byte after the requested range. */
  private get end(): number | undefined {
    const wanted = this.options.range?.end
    const total = this.version?.total
    if (wanted === undefined) return total ?? this.announced
    return total === undefined ? this.announced : Math.min(wanted + 1, total)
  }

  private async piece(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.end !== undefined && this.position >= this.end && this.facts) return this.finished()
    if (!this.connection) await this.attempt()
    const piece = await this.connection?.read()
    if (piece) return piece
    if (this.end === undefined) return this.finished()
    if (this.position < this.end) throw brokenOff()
    return undefined
  }

  private finished(): undefined {
    if (this.archiveEnd && !this.archiveEnd.isComplete) throw brokenOff()
    this.ended = true
  }

  private delivered(piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.position += piece.length
    this.archiveEnd?.add(piece)
    const received = this.position - this.start
    if (received > (this.options.maxSize ?? Number.POSITIVE_INFINITY)) throw tooLarge()
    const { size } = this
    this.options.onProgress?.({ received, ...(size === undefined ? {} : { total: size }), resumed: this.resumed })
    return piece
  }

  /** Sends one request and checks the response against the version. */
  private async attempt(): Promise<void> {
    const { options, position, version } = this
    const { signal } = this.cancelled
    if (signal.aborted) throw signal.reason
    const connection = new Connection(signal, options.stallTimeout ?? LIMITS.stall)
    try {
      const response = await options.open(this.conditions(), connection.signal)
      const now = versionOf(response)
      if (response.status === 416) throw version ? changed() : await refusalOf(response)
      if (response.status !== 200 && response.status !== 206)
        throw new TidegateError('BAD_ANSWER', `The provider answered ${response.status}.`, { status: response.status })
      if (version && !sameVersion(version, now)) throw changed()
      const part = response.status === 206 ? contentRangeOf(response) : undefined
      if (response.status === 206 && part?.first !== position)
        throw new TidegateError('BAD_ANSWER', 'The provider sent another range than the requested one.')
      // a storage without ranges restarts at byte 0; without a validator it may be another version
      if (response.status === 200 && position > this.start && !version?.validator) throw changed()
      if (response.status === 200 && version && position > 0 && now.validator !== version.validator) throw changed()
      this.version ??= now
      if (part) this.announced ??= part.last + 1
      this.facts ??= factsOf(response, options.file)
      if ((this.size ?? 0) > (options.maxSize ?? Number.POSITIVE_INFINITY)) throw tooLarge()
      connection.begin(
        response,
        response.status === 200 ? position : 0,
        this.end === undefined ? undefined : this.end - position,
      )
      this.connection = connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  private conditions(): Record<string, string> {
    const { position, version, options } = this
    const identity = { 'accept-encoding': 'identity' }
    const end = options.range?.end
    if (position === 0 && end === undefined) return identity
    const range = `bytes=${position}-${end ?? ''}`
    return { ...identity, range, ...(version?.validator ? { 'if-range': version.validator } : {}) }
  }

  /** Waits for the next attempt. Throws the error if no retry is left. */
  private async failed(error: unknown): Promise<undefined> {
    this.connection?.close()
    this.connection = undefined
    const { signal } = this.cancelled
    if (signal.aborted) throw signal.reason
    const started = this.facts !== undefined
    if (this.position - this.lastFailureAt >= LIMITS.progress) this.failures = 0
    this.lastFailureAt = this.position
    this.failures += 1
    if (this.failures > retriesAfter(error, started, this.options.retries ?? LIMITS.retries)) throw error
    if (this.position > this.start && !this.version?.validator) throw error
    await pause(pauseBefore(this.failures, error), signal)
    if (started) this.resumed += 1
    return undefined
  }
}

function changed(): TidegateError {
  return new TidegateError('FILE_CHANGED', 'The file changed during the download.')
}

function brokenOff(): TidegateError {
  return new TidegateError('BROKEN_OFF', 'The transfer ended before the file was complete.')
}

function tooLarge(): TidegateError {
  return new TidegateError('FILE_TOO_LARGE', 'The file is larger than the allowed maximum.')
}
