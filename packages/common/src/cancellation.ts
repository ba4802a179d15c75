/**
 * As much of an AbortSignal as a part of a request needs to end with it. Node takes as long to make, to hear and to abort an AbortSignal
 * as for a statement of the embedded database, so requests make one only for what takes nothing less (`abortSignal`).
 */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A cancellation that makes its AbortSignal on first use. */
export interface LazyCancellation extends Cancellation {
  readonly signal: AbortSignal
}

/** Returns a cancellation as an AbortSignal. */
export function abortSignal(cancellation: Cancellation): AbortSignal {
  return 'signal' in cancellation ? (cancellation as LazyCancellation).signal : (cancellation as AbortSignal)
}
