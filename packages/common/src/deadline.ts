import { setMaxListeners } from 'node:events'

export interface DeadlineOptions {
  /** Milliseconds until the signal aborts; none: only the parent or `abort` aborts it. */
  milliseconds?: number | undefined
  /** Aborts the signal with its own reason. */
  parent?: AbortSignal | undefined
  /** Creates the reason of the time limit. Default: a DOMException named TimeoutError. */
  reason?: () => unknown
}

/**
 * An AbortSignal with a time limit, which the signal of the caller aborts as well. The timer and the listener hold it until it
 * aborts or is released. AbortSignal.any holds its sources weakly: on Node 20, the garbage collector takes AbortSignal.timeout
 * from it, with its timer, so a lint rule keeps both out of the code.
 */
export class Deadline {
  private readonly controller = new AbortController()
  private readonly timer: NodeJS.Timeout | undefined
  private readonly parent: AbortSignal | undefined

  constructor({ milliseconds, parent, reason = timeoutError }: DeadlineOptions) {
    this.parent = parent
    // a request may have any number of parts that wait
    setMaxListeners(0, this.signal)
    if (milliseconds !== undefined) this.timer = setTimeout(() => this.abort(reason()), milliseconds)
    if (parent?.aborted) this.follow()
    else parent?.addEventListener('abort', this.follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Aborts the signal, and releases timer and parent. */
  abort(reason?: unknown): void {
    this.release()
    this.controller.abort(reason)
  }

  /** Releases timer and parent at the end of the work, which the signal then aborts no more. */
  release(): void {
    clearTimeout(this.timer)
    this.parent?.removeEventListener('abort', this.follow)
  }

  private readonly follow = (): void => this.abort(this.parent?.reason)
}

/** Runs work that ends with its signal, and releases its deadline when it settles. Settles like the work. */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new Deadline(options)
  try {
    return await work(deadline.signal)
  } finally {
    deadline.release()
  }
}

function timeoutError(): DOMException {
  return new DOMException('The deadline has passed.', 'TimeoutError')
}
