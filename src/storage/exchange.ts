import { Readable } from 'node:stream'
import { type Dispatcher, errors } from 'undici'
import { sendFor } from './connector.js'

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

/** How one request is sent. */
export interface Sending {
  dispatcher: Dispatcher
  /** Ends the request in any state. */
  signal: AbortSignal
  /** Milliseconds until the answer begins, interim answers apart. */
  timeout: number
  /** Called once, when the connection is free again or gone. */
  onEnd: () => void
  /** Told the bytes of the body as they come. */
  fetched?: (bytes: number) => void
}

/** Sends one request. Rejects with the dispatcher's error where no answer came, or with the signal's reason. */
export function exchange(options: Dispatcher.DispatchOptions, sending: Sending): Promise<Answer> {
  const { signal } = sending
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      sending.onEnd()
      return reject(signal.reason)
    }
    sendFor(signal, () => sending.dispatcher.dispatch(options, new Exchange(resolve, reject, sending)))
  })
}

/** One request on its way: the dispatcher's own body would be a second stream under the one that is handed on. */
class Exchange implements Dispatcher.DispatchHandler {
  private body: StreamedBody | undefined
  private readonly chunks: Buffer[] = []
  private ended = false
  private controller: Dispatcher.DispatchController | undefined
  /** From the first interim answer on: each of them begins the dispatcher's own time anew. */
  private deadline: NodeJS.Timeout | undefined

  constructor(
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: Error) => void,
    private readonly request: Sending,
  ) {
    request.signal.addEventListener('abort', this.abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.request.signal.aborted) controller.abort(this.request.signal.reason)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Answer['headers']): void {
    if (status < 200) {
      this.deadline ??= setTimeout(() => controller.abort(new errors.HeadersTimeoutError()), this.request.timeout)
      return
    }
    clearTimeout(this.deadline)
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

  /** A request that still waits for a connection is told when that has come about or ended; nobody waits for it. */
  private readonly abort = (): void => {
    this.controller?.abort(this.request.signal.reason)
    this.reject(this.request.signal.reason)
  }

  private over(): void {
    clearTimeout(this.deadline)
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
