import { LimitError } from '@tidegate/protocol'

/** Returns milliseconds as whole seconds for Retry-After, at least one. */
export function secondsLeft(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}

/** Returns the error for an address that exceeded a limit. `endsIn`: milliseconds until the window ends. */
export function rateLimited(what: 'requests' | 'bytes', endsIn: number): LimitError {
  const seconds = secondsLeft(endsIn)
  return new LimitError('RATE_LIMITED', `Too many ${what} from this address. Try again in ${seconds} seconds.`, seconds)
}

/** Returns the error for a client with too many requests in flight. It may retry when one ends. */
export function tooManyInFlight(message: string): LimitError {
  return new LimitError('RATE_LIMITED', message, 1)
}
