import { SandboxError } from '../errors.js'
import { stopping } from './failures.js'

/** How a task waits for its turn. */
export interface Waiting {
  /** Gives the place in the queue up when it fires. */
  signal?: AbortSignal
  /** Goes before all others and is never turned away: for the few who ask one after the other, and cannot leave it. */
  first?: boolean
}

interface Waiter {
  go: () => void
  refuse: (error: unknown) => void
}

/** Lets so many in at once; further ones wait in their order, and beyond `queue` of them are turned away. */
export class Gate {
  private inside = 0
  private waiting: Waiter[] = []
  private closed = false

  constructor(
    private readonly most: number,
    private readonly queue: number,
  ) {}

  /** Resolves when it is one's turn. Throws SandboxError where there is no place or no service, or why the signal fired. */
  async enter({ signal, first = false }: Waiting): Promise<void> {
    signal?.throwIfAborted()
    if (this.closed) throw stopping()
    if (this.inside < this.most) {
      this.inside += 1
      return
    }
    if (!first && this.waiting.length >= this.queue)
      throw new SandboxError('SANDBOX_UNAVAILABLE', 'Too many documents are being read. Try again in a moment.')
    let abort = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter = { go: resolve, refuse: reject }
        if (first) this.waiting.unshift(waiter)
        else this.waiting.push(waiter)
        abort = () => this.leaveQueue(waiter, signal?.reason)
        signal?.addEventListener('abort', abort)
      })
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Hands one's place on to the next. */
  leave(): void {
    const next = this.waiting.shift()
    if (next) next.go()
    else this.inside -= 1
  }

  /** Turns away whoever waits, and everybody from now on. */
  close(): void {
    this.closed = true
    const waiting = this.waiting
    this.waiting = []
    for (const { refuse } of waiting) refuse(stopping())
  }

  private leaveQueue(waiter: Waiter, reason: unknown): void {
    const at = this.waiting.indexOf(waiter)
    if (at < 0) return // its turn has come
    this.waiting.splice(at, 1)
    waiter.refuse(reason)
  }
}
