/** Who asks for a search. */
export interface Caller {
  /** Aborts when the caller has gone. */
  signal?: AbortSignal | undefined
  /** Whose share of the places it takes. None: one to which no share applies. */
  client?: string | undefined
}

interface Waiter {
  client: string | undefined
  resolve(): void
  reject(reason: unknown): void
}

/**
 * Gives places for searches to clients. A client with some gets another only while more are free than it holds, so that slow searches of
 * one never take the places of all. The next place goes to the client that holds the fewest, then to the one that has waited longest. If
 * the queue is full, a waiter of the client with the most is refused for one with fewer.
 */
export class Places {
  private readonly held = new Map<string, number>()
  private waiting: Waiter[] = []
  private isClosed = false

  /** `queue`: callers that may wait. `refusal`: the error of others, and of all after `close`. */
  constructor(
    private free: number,
    private readonly queue: number,
    private readonly refusal: () => Error,
  ) {}

  /** Resolves with a place. Rejects with the refusal, or with the reason of the signal. */
  async take({ client, signal }: Caller): Promise<void> {
    signal?.throwIfAborted()
    if (this.isClosed) throw this.refusal()
    if (this.mayTake(client)) return this.count(client)
    if (this.waiting.length >= this.queue) this.makeRoom(client)
    let abort = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter = { client, resolve, reject }
        this.waiting.push(waiter)
        abort = () => this.refuse(waiter, signal?.reason)
        signal?.addEventListener('abort', abort)
      })
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Gives a place back. */
  release(client: string | undefined): void {
    this.free += 1
    if (client !== undefined) {
      const left = this.heldBy(client) - 1
      if (left > 0) this.held.set(client, left)
      else this.held.delete(client)
    }
    // a place less of this client may let it, or another one, take several
    for (let next = this.next(); next; next = this.next()) {
      this.leave(next)
      this.count(next.client)
      next.resolve()
    }
  }

  /** Refuses all waiting and further callers. */
  close(): void {
    this.isClosed = true
    for (const waiter of [...this.waiting]) this.refuse(waiter, this.refusal())
  }

  private heldBy(client: string | undefined): number {
    return client === undefined ? 0 : (this.held.get(client) ?? 0)
  }

  private mayTake(client: string | undefined): boolean {
    return this.free > this.heldBy(client)
  }

  private count(client: string | undefined): void {
    this.free -= 1
    if (client !== undefined) this.held.set(client, this.heldBy(client) + 1)
  }

  private next(): Waiter | undefined {
    let next: Waiter | undefined
    for (const waiter of this.waiting)
      if (this.mayTake(waiter.client) && (!next || this.heldBy(waiter.client) < this.heldBy(next.client))) next = waiter
    return next
  }

  /** Refuses the last waiter of the client with the most, or throws the refusal if that is this one. */
  private makeRoom(client: string | undefined): void {
    const counts = new Map<string, { waiters: number; last: Waiter }>()
    for (const waiter of this.waiting) {
      if (waiter.client === undefined) continue
      counts.set(waiter.client, { waiters: (counts.get(waiter.client)?.waiters ?? 0) + 1, last: waiter })
    }
    const own = client === undefined ? 0 : (counts.get(client)?.waiters ?? 0)
    const [most] = [...counts.values()].sort((one, other) => other.waiters - one.waiters)
    if (!most || most.waiters <= own + 1) throw this.refusal()
    this.refuse(most.last, this.refusal())
  }

  private leave(waiter: Waiter): boolean {
    const at = this.waiting.indexOf(waiter)
    if (at >= 0) this.waiting.splice(at, 1)
    return at >= 0
  }

  /** Nothing for a caller that has its place. */
  private refuse(waiter: Waiter, reason: unknown): void {
    if (this.leave(waiter)) waiter.reject(reason)
  }
}
