import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

/** What a storage answered, as soon as the headers are there. */
export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Readable
}

/** A body that came whole, together with its headers: who can use it as it is need not read it as a stream. */
export class WholeBody extends Readable {
  constructor(readonly bytes: Buffer) {
    super()
  }

  override _read(): void {
    this.push(this.bytes)
    this.push(null)
  }
}

/** A body as it comes, no faster than it is read. Destroying it ends the transfer. */
class StreamedBody extends Readable {
  constructor(private readonly controller: Dispatcher.DispatchController) {
    super()
    this.on('error', () => undefined) // of a body that nobody reads any more: it must not end the process
  }

  override _read(): void {
    this.controller.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.controller.abort(error ?? new Error('The body is no longer wanted.'))
    done(error)
  }
}

/** What comes with a request. */
export interface Exchanging {
  /** Ends the request in any state. */
  signal: AbortSignal
  /** Called once, when the connection is free again or gone. */
  onEnd: () => void
  /** Told the bytes of the body as they come. */
  fetched?: (bytes: number) => void
}

/** Sends one request. Rejects with the dispatcher's error where no answer came, or with the signal's reason. */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  exchanging: Exchanging,
): Promise<Answer> {
  const { signal } = exchanging
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      exchanging.onEnd()
      return reject(signal.reason)
    }
    dispatcher.dispatch(options, new Exchange(resolve, reject, exchanging))
  })
}

/** One request on its way: the dispatcher's own body would be a second stream under the one that is handed on. */
class Exchange implements Dispatcher.DispatchHandler {
  private body: StreamedBody | undefined
  private readonly chunks: Buffer[] = []
  private ended = false
  private controller: Dispatcher.DispatchController | undefined

  constructor(
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: Error) => void,
    private readonly request: Exchanging,
  ) {
    request.signal.addEventListener('abort', this.abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.request.signal.aborted) controller.abort(this.request.signal.reason)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    if (status < 200) return
    // what has arrived is read to its end before this runs
    queueMicrotask(() => this.resolve({ status, headers, body: this.ended ? this.whole() : this.streamed(controller) }))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.request.fetched?.(chunk.length)
    if (!this.body) this.chunks.push(chunk)
    else if (!this.body.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.ended = true
    this.over()
    this.body?.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.over()
    this.reject(error)
    this.body?.destroy(error)
  }

  /** A request that still waits for a connection is told when it gets one; whoever asked does not wait for that. */
  private readonly abort = (): void => {
    this.controller?.abort(this.request.signal.reason)
    this.reject(this.request.signal.reason)
  }

  private over(): void {
    this.request.signal.removeEventListener('abort', this.abort)
    this.request.onEnd()
  }

  private whole(): Readable {
    return new WholeBody(this.chunks.length === 1 ? (this.chunks[0] as Buffer) : Buffer.concat(this.chunks))
  }

  private streamed(controller: Dispatcher.DispatchController): Readable {
    this.body = new StreamedBody(controller)
    for (const chunk of this.chunks) this.body.push(chunk)
    return this.body
  }
}
