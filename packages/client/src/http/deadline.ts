import { TidegateError } from '../errors.js'

/** A signal that fires with the caller's own signal, or after a time. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Removes the time limit and keeps the caller's signal. */
  lift(): void
  /** Releases the timer and the caller's signal. Call it after the work. */
  end(): void
}

/** Starts a deadline in milliseconds. It aborts with `error`; the caller's signal with its own reason. */
export function deadline(signal: AbortSignal | undefined, milliseconds: number, error: TidegateError): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(error), milliseconds)
  const abort = () => controller.abort(signal?.reason)
  const lift = () => clearTimeout(timer)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    lift,
    end() {
      lift()
      signal?.removeEventListener('abort', abort)
    },
  }
}

/** The error for a provider that misses its deadline. */
export function tooSlow(milliseconds: number): TidegateError {
  return new TidegateError('TIMEOUT', `The provider did not answer within ${milliseconds / 1000} seconds.`)
}
