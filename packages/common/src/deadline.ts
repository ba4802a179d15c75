import { setMaxListeners } from 'node:events'
import type { Cancellation } from './cancellation.js'

export interface DeadlineOptions {
  /** Milliseconds until the signal aborts. None: only the parent or `abort` aborts it. */
  milliseconds?: number | undefined
  /** Aborts the signal with the parent's reason. */
  parent?: Cancellation | undefined
  /** Creates the reason at the time limit. Default: a DOMException named TimeoutError. */
  reason?: () => unknown
}

/**
 * An AbortSignal with a time limit and a parent. Timer and listener hold it until it aborts or is released.
 * AbortSignal.any holds its sources weakly: on Node 20 an AbortSignal.timeout in it is garbage-collected with its timer,
 * so a lint rule forbids both.
 */
export class Deadline {
  private readonly controller = new AbortController()
  private readonly timer: NodeJS.Timeout | undefined
  private readonly parent: Cancellation | undefined

  constructor({ milliseconds, parent, reason = timeoutError }: DeadlineOptions) {
    this.parent = parent
    // any number of parts of a request may listen
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

  /** Releases timer and parent after the work. Neither aborts the signal afterwards. */
  release(): void {
    clearTimeout(this.timer)
    this.parent?.removeEventListener('abort', this.follow)
  }

  private readonly follow = (): void => this.abort(this.parent?.reason)
}

/** Runs work with a deadline, and releases the deadline when the work settles. Settles like the work. */
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
