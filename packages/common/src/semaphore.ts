/** Options of a wait for a permit. */
export interface QueueOptions {
  /** Removes the caller from the queue when it aborts. */
  signal?: AbortSignal | undefined
  /** Joins the head of the queue, and is never refused. For callers that wait for each other. */
  priority?: boolean | undefined
}

/** Errors of callers without a permit. */
export interface Refusals {
  /** Creates the error of a full queue. */
  full: () => Error
  /** Creates the error of a closed semaphore. */
  closed: () => Error
}

interface Waiter {
  resolve: () => void
  reject: (error: unknown) => void
}

/** A counting semaphore with a bounded FIFO queue. Callers beyond the queue are refused. */
export class Semaphore {
  private held = 0
  private waiting: Waiter[] = []
  private closed = false

  constructor(
    private readonly permits: number,
    private readonly queue: number,
    private readonly refusals: Refusals,
  ) {}

  /** Resolves with a permit. Rejects with a refusal, or with the signal's reason. */
  async acquire({ signal, priority = false }: QueueOptions): Promise<void> {
    signal?.throwIfAborted()
    if (this.closed) throw this.refusals.closed()
    if (this.held < this.permits) {
      this.held += 1
      return
    }
    if (!priority && this.waiting.length >= this.queue) throw this.refusals.full()
    let abort = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter = { resolve, reject }
        if (priority) this.waiting.unshift(waiter)
        else this.waiting.push(waiter)
        abort = () => this.leaveQueue(waiter, signal?.reason)
        signal?.addEventListener('abort', abort)
      })
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Gives a permit to the next caller. */
  release(): void {
    const next = this.waiting.shift()
    if (next) next.resolve()
    else this.held -= 1
  }

  /** Refuses all waiting and further callers. */
  close(): void {
    this.closed = true
    const waiting = this.waiting
    this.waiting = []
    for (const { reject } of waiting) reject(this.refusals.closed())
  }

  private leaveQueue(waiter: Waiter, reason: unknown): void {
    const at = this.waiting.indexOf(waiter)
    if (at < 0) return // it has a permit
    this.waiting.splice(at, 1)
    waiter.reject(reason)
  }
}
