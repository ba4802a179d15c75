/**
 * What tells that work is no longer wanted: as much of an AbortSignal as waiting needs, which an AbortSignal is as well.
 */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * A cancellation for what happens thousands of times a second: creating an AbortSignal, listening to it and aborting it takes Node
 * as long as a look-up in the database. A listener is called once.
 */
export class Canceller implements Cancellation {
  private readonly listeners = new Set<() => void>()
  private controller: AbortController | undefined
  private cause: unknown
  aborted = false

  get reason(): unknown {
    return this.cause
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.cause
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener)
  }

  /** Aborts, once. `reason`: what waiting rejects with. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.cause = reason
    this.controller?.abort(reason)
    for (const listener of this.listeners) {
      try {
        listener()
      } catch (error) {
        // as if it had been called alone: one failure must not keep the others from being told
        process.nextTick(() => {
          throw error
        })
      }
    }
    this.listeners.clear()
  }

  /** An AbortSignal that aborts with this, for what takes no less. Made on first use. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.aborted) this.controller.abort(this.cause)
    }
    return this.controller.signal
  }
}

/** Returns a cancellation as an AbortSignal, for libraries and for AbortSignal.any. */
export function abortSignal(cancellation: Cancellation): AbortSignal {
  return cancellation instanceof Canceller ? cancellation.signal : (cancellation as AbortSignal)
}
