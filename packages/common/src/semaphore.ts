/** Options of a wait for a permit. */
export interface QueueOptions {
  /** Removes the caller from the queue when it fires. */
  signal?: AbortSignal | undefined
  /** Joins the head of the queue, and is never rejected. For the few callers that run one after the other. */
  priority?: boolean | undefined
}

/** The errors of callers that get no permit. */
export interface Refusals {
  /** The queue is full. */
  full: () => Error
  /** The semaphore was closed. */
  closed: () => Error
}

interface Waiter {
  resolve: () => void
  reject: (error: unknown) => void
}

/** A counting semaphore with a bounded FIFO queue: when that is full, further callers are rejected. */
export class Semaphore {
  private held = 0
  private waiting: Waiter[] = []
  private closed = false

  constructor(
    private readonly permits: number,
    private readonly queue: number,
    private readonly refusals: Refusals,
  ) {}

  /** Resolves when a permit is free. Rejects with a refusal, or with the signal's reason. */
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

  /** Releases a permit to the next waiter. */
  release(): void {
    const next = this.waiting.shift()
    if (next) next.resolve()
    else this.held -= 1
  }

  /** Rejects all waiters and all further callers. */
  close(): void {
    this.closed = true
    const waiting = this.waiting
    this.waiting = []
    for (const { reject } of waiting) reject(this.refusals.closed())
  }

  private leaveQueue(waiter: Waiter, reason: unknown): void {
    const at = this.waiting.indexOf(waiter)
    if (at < 0) return // it has a permit already
    this.waiting.splice(at, 1)
    waiter.reject(reason)
  }
}
