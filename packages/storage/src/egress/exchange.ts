import { Readable } from 'node:stream'
import type { Cancellation } from '@tidegate/common'
import { type Dispatcher, errors } from 'undici'
import { sendWithSignal } from './connector.js'
import { recycle } from './responses/receiving.js'

/** The response of a storage, available as soon as its headers have arrived. */
export interface UpstreamResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** A body that arrived together with its headers. Its bytes are available without reading the stream. */
export class BufferedBody extends Readable {
  constructor(readonly bytes: Buffer) {
    super()
  }

  override _read(): void {
    this.push(this.bytes)
    this.push(null)
  }
}

/** A body that is still arriving, with back-pressure. Destroying it aborts the transfer. */
class StreamedBody extends Readable {
  readonly recycle = recycle

  constructor(private readonly controller: Dispatcher.DispatchController) {
    super({ highWaterMark: 0 })
    this.on('error', () => undefined) // after its reader has left, an error must not crash the process
  }

  override _read(): void {
    this.controller.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.controller.abort(error ?? new Error('The body was discarded.'))
    done(error)
  }
}

export interface ExchangeOptions {
  dispatcher: Dispatcher
  /** Aborts the request in any state. */
  signal: Cancellation
  /** Milliseconds until the response begins, not counting interim (1xx) responses. */
  timeout: number
  /** Called once when the connection is idle again or closed. */
  onEnd: () => void
  /** Called with the number of body bytes received. */
  fetched?: ((bytes: number) => void) | undefined
}

/** Sends one request. Rejects with the dispatcher's error if there is no response, or with the signal's reason. */
export function exchange(request: Dispatcher.DispatchOptions, options: ExchangeOptions): Promise<UpstreamResponse> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      options.onEnd()
      return reject(signal.reason)
    }
    sendWithSignal(signal, () => options.dispatcher.dispatch(request, new Exchange(resolve, reject, options)))
  })
}

/** A request in flight. Handles the dispatcher's events directly: its own body would add a second stream. */
class Exchange implements Dispatcher.DispatchHandler {
  private body: StreamedBody | undefined
  private readonly chunks: Buffer[] = []
  private ended = false
  private controller: Dispatcher.DispatchController | undefined
  /** Set by the first interim response: each of these restarts the dispatcher's own time-out. */
  private deadline: NodeJS.Timeout | undefined

  constructor(
    private readonly resolve: (response: UpstreamResponse) => void,
    private readonly reject: (error: Error) => void,
    private readonly options: ExchangeOptions,
  ) {
    options.signal.addEventListener('abort', this.abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.options.signal.aborted) controller.abort(this.reason)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamResponse['headers'],
  ): void {
    if (status < 200) {
      this.deadline ??= setTimeout(() => controller.abort(new errors.HeadersTimeoutError()), this.options.timeout)
      return
    }
    clearTimeout(this.deadline)
    // they would keep the chunk that they came in until the end
    controller.rawHeaders = null
    // resolves after the data that has arrived with the headers is processed
    queueMicrotask(() =>
      this.resolve({ status, headers, body: this.ended ? this.bufferedBody() : this.streamedBody(controller) }),
    )
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // the parser resumes with an empty chunk, which wakes no reader
    if (chunk.length === 0) return
    this.options.fetched?.(chunk.length)
    if (!this.body) this.chunks.push(chunk)
    else if (!this.body.push(chunk) || this.body.isPaused()) controller.pause()
  }

  onResponseEnd(): void {
    this.ended = true
    this.finish()
    this.body?.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.finish()
    this.reject(error)
    this.body?.destroy(error)
  }

  /** Rejects at once: a request that waits for a connection has no controller to abort until it is connected. */
  private readonly abort = (): void => {
    this.controller?.abort(this.reason)
    this.reject(this.reason)
  }

  private get reason(): Error {
    return this.options.signal.reason as Error
  }

  private finish(): void {
    clearTimeout(this.deadline)
    this.options.signal.removeEventListener('abort', this.abort)
    this.options.onEnd()
  }

  private bufferedBody(): Readable {
    return new BufferedBody(this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks))
  }

  private streamedBody(controller: Dispatcher.DispatchController): Readable {
    this.body = new StreamedBody(controller)
    for (const chunk of this.chunks.splice(0)) this.body.push(chunk)
    return this.body
  }
}
